package import TransferModel

/// The statement of one source about an interface; nil leaves a property to the next source.
package struct InterfaceEvidence: Sendable, Hashable {
    /// The kind of the interface.
    package var kind: InterfaceKind?
    /// Whether use of the interface is paid for by the amount of data.
    package var isExpensive: Bool?
    /// Whether the interface is to carry as little data as possible.
    package var isConstrained: Bool?
    /// The source, as half a sentence.
    package var source: String

    /// Creates a statement of `source`, which may leave every property open.
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
