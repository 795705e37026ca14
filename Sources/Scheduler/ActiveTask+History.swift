import SystemKit
import Transfer
import TransferModel

/// Decisions of a task after an attempt, by its earlier attempts.
extension ActiveTask {
    /// The facts for the decision on another attempt, besides the failure; call it before `end`.
    mutating func history(
        after result: AttemptResult,
        wall: Timestamp,
        _ now: MonotonicTime
    ) -> RetryDecision.History {
        count.noteProgress(result.resume)
        return RetryDecision.History(
            attempts: count.failures,
            remaining: retryLimit.map { $0 - now },
            hasBrokenFraming: hasBrokenFraming,
            joinedParts: mayJoinParts
                && (result.resume?.resumedFrom != nil || !result.mirrors.isEmpty),
            leavesUpload: result.leavesUpload,
            retryAfter: (result.response ?? result.proxyResponse).flatMap {
                RetryAfter.wait(in: $0.fields, now: wall)
            },
            status: result.response?.statusCode
        )
    }

    /// How long an origin that answered 429 or 503 is paused: for its `Retry-After`, else for this
    /// attempt's backoff.
    ///
    /// A wait longer than `maximumRetryAfter` fails the task at once; the other tasks wait no
    /// longer than the backoff.
    func originPause(
        after result: AttemptResult,
        _ history: RetryDecision.History,
        part: Double
    ) -> (origin: Origin, duration: Duration)? {
        guard let status = result.response?.statusCode, status == 429 || status == 503 else {
            return nil
        }
        var pause = RetryDecision.backoff(spec.retry.backoff, after: number, dice: part)
        if spec.retry.respectRetryAfter, let asked = history.retryAfter,
            asked <= spec.retry.maximumRetryAfter
        {
            pause = max(pause, asked)
        }
        let answered = try? TransferURL(result.currentRequest.url)
        return ((answered ?? spec.request.url).origin, pause)
    }

    /// Whether a task whose attempt found no permitted interface may send its request again over
    /// another one.
    ///
    /// Not if the policy forbids repeats, the body was a pipe, or the server may have processed an
    /// order without an upload that can continue.
    func mayRepeat(after failure: TransferFailure, _ result: AttemptResult) -> Bool {
        if failure.isPermanent { return false }
        if failure.isKnownUnprocessed { return true }
        guard spec.retry.repeat != .never else { return false }
        return result.leavesUpload
            || !RetryDecision.leavesOutcomeUnknown(failure, of: request, under: spec.retry)
    }

    /// The path that is closed for other tasks too; nil if the failure belongs to another URL.
    func closedPath(
        after failure: TransferFailure,
        _ result: AttemptResult,
        mayStayOpen: Bool
    ) -> ClosedPaths.Path? {
        if failure.isOfWholeSession { return ClosedPaths.Path(spec) }
        let origin = spec.request.url.origin
        if result.redirectCount > 0, mayStayOpen { return nil }
        guard lane.origin == origin, missingChecksums == nil else { return nil }
        return ClosedPaths.Path(spec, origin: origin)
    }

    /// The failure of a task that a stopping run ends; its text includes the failure of the last
    /// attempt.
    func cancellation(_ stop: TransferFailure) -> TransferFailure {
        var failure = stop
        guard let last = self.failure else { return failure }
        if last.kind == .cancelled {
            failure = last
            (failure.detail, failure.decidingKey) = (stop.detail, stop.decidingKey)
            return failure.explained(.notRetried, self)
        }
        failure.detail +=
            number == 0
            ? "; the task could not begin (\(last.detail))"
            : "; attempt \(number) had failed (\(last.detail)) and was not repeated"
        // Only this run could ask the server how much of an upload has arrived.
        failure.isOutcomeUnknown = leavesOutcomeUnknown(last)
        failure.explain(.notRetried, of: request, under: spec.retry)
        return failure
    }
}
