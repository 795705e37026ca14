/// Which interfaces the tasks of a session may use, as the access flags of
/// `URLSessionConfiguration` have it.
package struct NetworkAccess: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `allowsCellularAccess`.
    package static let cellular = NetworkAccess(rawValue: 1)
    /// `allowsExpensiveNetworkAccess`.
    package static let expensive = NetworkAccess(rawValue: 2)
    /// `allowsConstrainedNetworkAccess`.
    package static let constrained = NetworkAccess(rawValue: 4)
    /// `unclassifiedInterfaces: allow`: of what a flag forbids, an interface that nobody knows it
    /// of is not such a one.
    package static let unclassified = NetworkAccess(rawValue: 8)

    /// The three flags.
    package static let flags: NetworkAccess = [.cellular, .expensive, .constrained]

    /// Whether some interface may be forbidden: without a flag there is nothing that an unknown
    /// class could be.
    package var isRestricted: Bool { !isSuperset(of: .flags) }
}

/// Why a policy forbids an interface, as `URLError.NetworkUnavailableReason` has it.
package enum NetworkUnavailableReason: String, Sendable, Hashable, CaseIterable {
    case cellular
    case expensive
    case constrained
    /// Nobody knows what the interface is, and the policy wants to know.
    case unclassified
}
