package import TransferModel

/// The statement of one source about an interface; nil leaves a property to the next source.
package struct InterfaceEvidence: Sendable, Hashable {
    package var kind: InterfaceKind?
    package var isExpensive: Bool?
    package var isConstrained: Bool?
    /// The source, as half a sentence.
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

    /// Whether it states no property.
    var isEmpty: Bool { kind == nil && isExpensive == nil && isConstrained == nil }
}
