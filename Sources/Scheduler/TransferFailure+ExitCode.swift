import Glibc
import TransferModel

extension TransferFailure {
    /// The exit code of a run in which this failure of a required task is the only one.
    var exitCode: ExitCode {
        switch kind {
        case .integrity: .integrity
        case .localIO: isEnvironment ? .environment : .taskFailed
        case .resolve, .connect, .timeout, .stalled, .reset, .truncated: .temporary
        case .tls: isPermanent ? .taskFailed : .temporary
        case .httpStatus: isTemporaryStatus ? .temporary : .taskFailed
        case .protocolViolation, .mimeType, .tooLarge, .content, .redirectLimit, .rangeMismatch,
            .cache, .cancelled, .engine:
            .taskFailed
        }
    }

    /// Whether the machine, not the job, is at fault: a missing file, a permission, a full disk.
    private var isEnvironment: Bool {
        switch osErrno.map({ Int32(truncatingIfNeeded: $0) }) {
        case ENOENT, EACCES, EPERM, EROFS, ENOSPC, EDQUOT: true
        default: false
        }
    }

    private var isTemporaryStatus: Bool {
        guard let status = httpStatus else { return false }
        return (500...599).contains(status) || [408, 425, 429].contains(status)
    }
}

extension ExitCode {
    /// The codes that a task's end can ask for, the one that wins over the others first.
    private static let precedence: [ExitCode] = [
        .integrity, .environment, .taskFailed, .deadline, .deferred, .temporary,
    ]

    /// The one of two codes that a run with both ends with.
    func combined(with other: ExitCode) -> ExitCode {
        Self.precedence.first { $0 == self || $0 == other } ?? .success
    }
}
