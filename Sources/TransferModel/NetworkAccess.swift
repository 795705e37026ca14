/// The interfaces that a session's tasks may use, by the access flags of `URLSessionConfiguration`.
package struct NetworkAccess: OptionSet, Sendable, Hashable {
    /// One bit for each kind of interface that tasks may use.
    package let rawValue: UInt8
    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `allowsCellularAccess`.
    package static let cellular = NetworkAccess(rawValue: 1)
    /// `allowsExpensiveNetworkAccess`.
    package static let expensive = NetworkAccess(rawValue: 2)
    /// `allowsConstrainedNetworkAccess`.
    package static let constrained = NetworkAccess(rawValue: 4)
    /// `unclassifiedInterfaces: allow`: an interface of unknown class is not treated as forbidden.
    package static let unclassified = NetworkAccess(rawValue: 8)

    /// The three flags.
    package static let flags: NetworkAccess = [.cellular, .expensive, .constrained]
    /// Every interface; made once, because the literal of a set costs 2,000 instructions.
    package static let all: NetworkAccess = [.flags, .unclassified]

    /// Whether any interface may be forbidden: otherwise an unknown class does not matter.
    package var isRestricted: Bool { !isSuperset(of: .flags) }
}

/// Why a policy forbids an interface (`URLError.NetworkUnavailableReason`).
package enum NetworkUnavailableReason: String, Sendable, Hashable, CaseIterable {
    case cellular
    case expensive
    case constrained
    /// The interface's class is unknown, and the policy needs it.
    case unclassified
}
