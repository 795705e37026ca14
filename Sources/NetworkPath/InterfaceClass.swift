internal import SystemKit
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

/// The driver and networks of an interface, for matching rules.
struct LinkAttachment: Sendable, Hashable {
    /// The kernel's name of its driver.
    var driver: String?
    /// The gateways of its default routes.
    var gateways: [IPAddress] = []
    /// The name of its Wi-Fi network.
    var ssid: String?
    /// The name and the UUID of its NetworkManager connection.
    var connections: [String] = []
}
