extension Array<Diagnostic> {
    /// Sorted by position; equal positions keep their order.
    package var inFileOrder: [Diagnostic] {
        guard count > 1 else { return self }
        return enumerated()
            .sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }
            .map(\.element)
    }
}
