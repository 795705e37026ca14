package import TransferModel

/// What an interface is to a policy, and who says so.
package struct InterfaceClass: Sendable, Hashable {
    package var kind: InterfaceKind
    /// nil when nobody knows, as with the other one: a tunnel's packets leave by another interface.
    package var isCellular: Bool?
    package var isExpensive: Bool?
    /// Only a rule makes an interface constrained.
    package var isConstrained: Bool
    /// Whether daemons have still to say what it is now: until then only those may use it who may
    /// use any.
    package var isPending = false
    /// Where it is known from, half a sentence each, the strongest first.
    package var evidence: [String]

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

    /// Of an interface that was not looked at.
    static let unknown = InterfaceClass(kind: .other, isCellular: nil, isExpensive: nil)

    /// Why tasks with such access may not use the interface; nil when they may.
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
