import SystemKit
import Transfer
import TransferModel

/// The URL that a task requests.
extension ActiveTask {
    /// The URL of the present attempt, or of the next one.
    var url: TransferURL {
        guard let mirrors, mirrors.current > 0 else { return spec.request.url }
        return spec.mirrors[mirrors.current - 1]
    }

    /// Whether the task requests a mirror before it waits.
    func hasUntriedMirror(after failure: TransferFailure) -> Bool {
        mirrors?.hasUntried == true && mayMoveOn(after: failure)
    }

    /// Begins a new round through the URLs that have not refused the request.
    mutating func restartMirrors() {
        guard mirrors != nil else { return }
        mirrors?.restart()
        isNewRound = true
        lane.origin = url.origin
    }

    /// The next action of a task after a failed attempt.
    enum Next {
        /// Requests another URL, or the only one, without a wait.
        case atOnce
        /// Waits for an interface that leads to a URL: every other URL has refused.
        case awaitWay(TransferFailure)
        case decided(RetryDecision)
    }

    /// Decides on a failed attempt.
    ///
    /// - Parameters:
    ///   - failure: Why it failed.
    ///   - history: The facts about the task's attempts.
    ///   - part: The part of the backoff that a wait takes, from 0 up to but not including 1.
    ///   - hasTime: Whether there is time for another request without a wait.
    /// - Returns: The next step; `url` is the URL for it.
    mutating func next(
        after failure: TransferFailure,
        _ history: RetryDecision.History,
        part: Double,
        hasTime: Bool
    ) -> Next {
        let (request, policy) = (request, spec.retry)
        func decide(_ failure: TransferFailure) -> RetryDecision {
            .decide(failure, of: request, under: policy, history: history, dice: part)
        }
        let decision = decide(failure)
        if failure.kind.isOfWrongBytes, history.joinedParts, hasTime, case .retry = decision {
            // If joined parts do not match, a server that sends the whole file is not at fault.
            count.forgive()
            mirrors?.returnToFirst()
            lane.origin = url.origin
            return .atOnce
        }
        guard let step = moveOn(after: failure, decision) else { return .decided(decision) }
        if case .untried = step, hasTime { return .atOnce }
        var final = decision
        // Another URL may answer now.
        if case .again = step, decision == .giveUp(.notRetried),
            let recoverable = mirrors?.recoverable
        {
            final = decide(recoverable)
        }
        guard final.isFinal, let unreachable = mirrors?.unreachable else { return .decided(final) }
        mirrors?.strikeOffReached()
        return .awaitWay(unreachable)
    }

    /// Chooses the next URL; nil without mirrors, for a fault that is not the server's, and for a
    /// request that must not be sent twice.
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
