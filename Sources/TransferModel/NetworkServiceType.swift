/// What a session's traffic is for, as `URLRequest.NetworkServiceType` has it; it marks packets,
/// nothing more.
package enum NetworkServiceType: String, Sendable, Hashable, CaseIterable {
    case `default`
    case background
    case video
    case voice
    case responsiveData
    case avStreaming
    case responsiveAV
    case callSignaling

    /// The differentiated services code point (RFC 4594 §2.3, RFC 2474), 0 to 63.
    package var codePoint: UInt8 {
        switch self {
        case .default: 0
        case .background: 8
        case .responsiveData: 18
        case .avStreaming: 26
        case .responsiveAV: 32
        case .video: 34
        case .callSignaling: 40
        case .voice: 46
        }
    }

    /// The place in the queues of the machine's own interfaces (SO_PRIORITY of socket(7)), 0 to 6.
    package var socketPriority: Int32 {
        switch self {
        case .default: 0
        case .background: 1
        case .responsiveData: 3
        case .avStreaming: 4
        case .responsiveAV, .video: 5
        case .callSignaling, .voice: 6
        }
    }
}

/// Whether connections may use several paths at once, as
/// `URLSessionConfiguration.MultipathServiceType` has it.
///
/// Linux has one kind of multipath sockets: how paths are used is a setting of the host
/// (`ip mptcp`).
package enum MultipathServiceType: String, Sendable, Hashable, CaseIterable {
    case none
    case handover
    case interactive
    case aggregate
}
