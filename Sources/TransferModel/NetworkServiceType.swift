/// The purpose of a session's traffic (`URLRequest.NetworkServiceType`); it only marks packets.
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

    /// The priority in this machine's interface queues (SO_PRIORITY of socket(7)), 0 to 6.
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

/// Whether connections may use several paths at once
/// (`URLSessionConfiguration.MultipathServiceType`).
///
/// Linux has one kind of multipath socket; the host's settings (`ip mptcp`) choose the paths.
package enum MultipathServiceType: String, Sendable, Hashable, CaseIterable {
    case none
    case handover
    case interactive
    case aggregate
}
