package import TransferModel

/// The class of an interface for policies, and its sources.
package struct InterfaceClass: Sendable, Hashable {
    /// The strongest source's statement about the kind.
    package var kind: InterfaceKind
    /// nil if unknown, like `isExpensive`: a tunnel's packets leave by another interface.
    package var isCellular: Bool?
    /// Whether use of the interface is paid for by the amount of data; nil if unknown.
    package var isExpensive: Bool?
    /// Only a rule makes an interface constrained.
    package var isConstrained: Bool
    /// Whether a daemon's answer is pending: until then only unrestricted tasks may use the
    /// interface.
    package var isPending = false
    /// The sources, as half a sentence each, the strongest first.
    package var evidence: [String]

    /// Creates a class that no daemon's answer can change.
    package init(
        kind: InterfaceKind,
        isCellular: Bool?,
        isExpensive: Bool?,
        isConstrained: Bool = false,
        evidence: [String] = []
    ) {
        self.kind = kind
        self.isCellular = isCellular
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.evidence = evidence
    }

    /// The class of an unexamined interface.
    static let unknown = InterfaceClass(kind: .other, isCellular: nil, isExpensive: nil)

    /// Why tasks with an access rule may not use the interface; nil when they may.
    package func denial(under access: NetworkAccess) -> NetworkUnavailableReason? {
        if kind == .loopback { return nil }
        if isPending, access.isRestricted { return .unclassified }
        let mayBeUnknown = access.contains(.unclassified)
        if !access.contains(.cellular), isCellular ?? !mayBeUnknown {
            return isCellular == nil ? .unclassified : .cellular
        }
        if !access.contains(.expensive), isExpensive ?? !mayBeUnknown {
            return isExpensive == nil ? .unclassified : .expensive
        }
        return !access.contains(.constrained) && isConstrained ? .constrained : nil
    }
}
