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
        case .condition: .success
        case .integrity, .signature: .integrity
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

    /// Adds to the failure why runner did not repeat the attempt, where that helps the user, and
    /// the usual advice if there is none.
    mutating func explain(
        _ reason: RetryDecision.Reason,
        of request: RequestSpec,
        under policy: RetryPolicy
    ) {
        switch reason {
        case .notRetried, .attemptsExhausted, .repeatNever:
            if isOutcomeUnknown {
                detail += "; outcome unknown: the server may have acted on the request"
                if help == nil { help = Self.lookAtServer + " before you run the job again" }
            } else if help == nil {
                help = adviceToRunAgain(request)
            }
        case .outcomeUnknown where followsMessages:
            detail +=
                "; outcome unknown: the server may have acted on the messages that were sent, so "
                + "runner does not repeat the conversation"
            if help == nil {
                help =
                    Self.lookAtServer
                    + "; if it may be repeated, set `retry.repeat` to `always`"
            }
        case .outcomeUnknown:
            detail +=
                "; outcome unknown: the server may have acted on the request, so runner does not "
                + "repeat it"
            // A time limit of the runner itself has other remedies.
            if kind != .timeout || help == nil {
                help =
                    Self.lookAtServer + "; for the next run, give the request an idempotency key, "
                    + "or set `retry.repeat` to `always` if it may arrive twice"
            }
        case .retryAfterTooLong(let wait):
            detail +=
                "; the server asks for a wait of \(wait.wholeSeconds) s, "
                + "`maximumRetryAfter` is \(policy.maximumRetryAfter.wholeSeconds) s"
            help = "run again later, or raise `retry.maximumRetryAfter`"
        case .outOfTime where kind.isDeferral:
            detail += "; the task exceeded `timeoutIntervalForResource`"
            help =
                "raise `timeoutIntervalForResource`, or check the interfaces with `runner "
                + "interfaces`"
        case .outOfTime:
            detail += "; no time is left for another attempt"
            help = "raise `retry.budget` or `timeoutIntervalForResource`"
        case .runBudgetExhausted:
            detail += "; the retry budget of the whole run is used up"
            help = "run again when the servers have recovered"
        }
    }

    /// The first step after a request whose outcome is unknown.
    private static let lookAtServer = "look on the server whether it acted"

    /// The advice about a failure that a later run may avoid; nil for others.
    private func adviceToRunAgain(_ request: RequestSpec) -> String? {
        let origin = request.url.origin
        switch (origin.scheme, kind) {
        case (.custom, _), (.data, _), (.file, _): return nil
        case (.http, .reset) where origin.port != 80 && [.send, .wait].contains(phase):
            return Self.lostConnection + "; if the port speaks TLS, write `https://`"
        case (_, .reset): return Self.lostConnection
        case (_, .truncated) where phase == .receive:
            return "the connection broke before the end: run again; if it recurs, look at the "
                + "server or a proxy"
        case (_, .httpStatus): return adviceAboutStatus
        default: return nil
        }
    }

    private static let lostConnection =
        "the server or a proxy closed the connection: see its log, or run again"

    private var adviceAboutStatus: String? {
        switch httpStatus ?? 0 {
        case 500, 502...504, 520...599:
            "the fault is the server's: see its log, or run again later"
        case 501, 505...519: "the fault is the server's: see its log"
        default: nil
        }
    }
}

extension Duration {
    /// Rounded up, so that no message shortens a wait.
    fileprivate var wholeSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
    }
}
