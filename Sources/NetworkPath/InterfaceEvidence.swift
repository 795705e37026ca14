package import TransferModel

/// What one source says of an interface; nil leaves it to the next one.
package struct InterfaceEvidence: Sendable, Hashable {
    package var kind: InterfaceKind?
    package var isExpensive: Bool?
    package var isConstrained: Bool?
    /// Where it is from, half a sentence.
    package var source: String

    package init(
        _ source: String,
        kind: InterfaceKind? = nil,
        isExpensive: Bool? = nil,
        isConstrained: Bool? = nil
    ) {
        self.source = source
        self.kind = kind
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// Whether it says anything.
    var isEmpty: Bool { kind == nil && isExpensive == nil && isConstrained == nil }
}
