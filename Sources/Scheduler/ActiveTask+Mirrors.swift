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

    /// What a task does after a failed attempt.
    enum Next {
        /// Asks a mirror at once that it has not asked.
        case mirror
        /// Waits for a way to the URL that alone had none: no other URL will answer.
        case awaitWay(TransferFailure)
        case decided(RetryDecision)
    }

    /// Decides on a failed attempt.
    ///
    /// - Parameters:
    ///   - failure: Why it failed.
    ///   - history: What is known of the task.
    ///   - part: The part of the backoff that is waited, from 0 up to but not including 1.
    ///   - mayAskMirror: Whether there is time for another URL at once.
    /// - Returns: The next step; `url` is the one to ask then.
    mutating func next(
        after failure: TransferFailure,
        _ history: RetryDecision.History,
        part: Double,
        mayAskMirror: Bool
    ) -> Next {
        let (request, policy) = (request, spec.retry)
        func decide(_ failure: TransferFailure) -> RetryDecision {
            .decide(failure, of: request, under: policy, history: history, dice: part)
        }
        let decision = decide(failure)
        guard let step = moveOn(after: failure, decision) else { return .decided(decision) }
        if case .untried = step, mayAskMirror { return .mirror }
        var final = decision
        // Not this URL but another one may answer now.
        if case .again = step, decision == .giveUp(.notRetried),
            let recoverable = mirrors?.recoverable
        {
            final = decide(recoverable)
        }
        guard final.isFinal, let unreachable = mirrors?.unreachable else { return .decided(final) }
        mirrors?.strikeOffReached()
        return .awaitWay(unreachable)
    }

    /// Chooses the next URL; nil when no other is asked: there is none, the fault is not the
    /// server's, or nothing may be sent twice.
    private mutating func moveOn(
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
