import SystemKit
import Transfer
import TransferModel

/// Which of its URLs a task asks.
extension ActiveTask {
    /// The URL that is asked.
    var url: HTTPURL {
        guard let mirrors, mirrors.current > 0 else { return spec.request.url }
        return spec.mirrors[mirrors.current - 1]
    }

    /// Whether another URL is to be asked before anything is waited for.
    func hasUntriedMirror(after failure: TransferFailure) -> Bool {
        mirrors?.hasUntried == true && mayMoveOn(after: failure)
    }

    /// Asks those of its URLs anew that have not said no: there may be another way by then.
    mutating func restartMirrors() {
        guard mirrors != nil else { return }
        mirrors?.restart()
        isNewRound = true
        lane.origin = url.origin
    }

    /// Chooses the next URL after a failed attempt, which would be treated so if there were no
    /// other.
    ///
    /// nil when no other is asked: there is none, the fault is not the server's, or nothing may be
    /// sent twice.
    mutating func moveOn(
        after failure: TransferFailure,
        _ decision: RetryDecision
    ) -> MirrorRotation.Step? {
        guard mirrors != nil, mayMoveOn(after: failure) else { return nil }
        let canRecover =
            switch decision {
            case .giveUp(.notRetried), .giveUp(.retryAfterTooLong): false
            default: true
            }
        if canRecover { mirrors?.recoverable = failure }
        if failure.kind == .network { mirrors?.unreachable = failure }
        let step = mirrors?.moveOn(canRecover: canRecover, isCutOff: failure.kind == .network)
        lane.origin = url.origin
        return step
    }

    private func mayMoveOn(after failure: TransferFailure) -> Bool {
        missingChecksums == nil && spec.retry.repeat != .never
            && ![.cancelled, .localIO, .engine].contains(failure.kind)
            && !RetryDecision.leavesOutcomeUnknown(failure, of: request, under: spec.retry)
    }
}
