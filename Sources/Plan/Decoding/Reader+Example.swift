internal import JobFile

extension Reader {
    /// Reads the value of one of the keys; a report of another shape shows the one that belongs
    /// there, unless it has a help.
    @inline(__always)
    mutating func showingShape<Value>(
        of field: Field,
        in keys: KeyTable,
        _ read: (inout Reader) -> Value
    ) -> Value {
        let mark = faults.log.mark
        let value = read(&self)
        if faults.log.mark > mark { showShape(of: field, in: keys, since: mark) }
        return value
    }

    private mutating func showShape(of field: Field, in keys: KeyTable, since mark: Int) {
        guard let key = keys.keys.first(where: { $0.name == field.name }) else { return }
        let (node, shape) = (field.node, key.shape)
        let whole = "\(key.name): \(key.exampleText)"
        show(whole, of: shape, at: node, since: mark)
        guard let member = shape.member, document.kind(of: node) != .scalar else { return }
        let isList = document.kind(of: node) == .sequence
        let members =
            isList ? Array(document.elements(of: node)) : document.entries(of: node).map(\.value)
        // A text alone does not show where it belongs.
        let example = member.exampleText == Shape.anyText ? whole : member.exampleText
        for value in members { show(example, of: member, at: value, since: mark) }
    }

    /// Adds an example to the reports of a list or mapping where the shape is another, and of a
    /// scalar where the example explains more.
    private mutating func show(_ example: String, of shape: Shape, at node: NodeID, since mark: Int)
    {
        guard document.kind(of: node) != .scalar || shape.explainsScalars else { return }
        faults.log.addHelp(
            "write `\(example)`",
            to: [.wrongType, .badPath],
            at: document.range(of: node),
            since: mark
        )
    }
}
