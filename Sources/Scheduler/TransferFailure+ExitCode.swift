import SystemKit
import TransferModel

extension TransferFailure {
    /// The exit code of a run in which this failure of a required task is the only one.
    ///
    /// A failure that leaves the outcome unknown is never a temporary one: a later run would send
    /// the request again.
    var exitCode: ExitCode {
        if isOutcomeUnknown { return .taskFailed }
        return switch kind {
        case .integrity: .integrity
        case .network, .power, .suspended: .deferred
        case .localIO: isEnvironment ? .environment : .taskFailed
        case .timeout: isPermanent ? .taskFailed : .temporary
        case .resolve, .stalled, .reset, .truncated: .temporary
        case .connect, .tls: isPermanent ? .taskFailed : .temporary
        case .httpStatus: isTemporaryStatus ? .temporary : .taskFailed
        case .protocolViolation, .mimeType, .tooLarge, .content, .redirectLimit, .rangeMismatch,
            .cache, .cancelled, .engine:
            .taskFailed
        }
    }

    /// Whether the machine, not the job, is at fault: a missing file, a permission, a full disk.
    private var isEnvironment: Bool {
        osErrno.map { SystemError.isEnvironment(Int32(truncatingIfNeeded: $0)) } ?? false
    }

    private var isTemporaryStatus: Bool {
        guard let status = httpStatus else { return false }
        switch status {
        // Requests that a server with this version or configuration never serves.
        case 501, 505, 507, 508, 510, 511: return false
        case 408, 425, 429, 500...599: return true
        default: return false
        }
    }
}
