import SystemKit
import Transfer
import TransferModel

/// What a task's attempts so far say about another one.
extension ActiveTask {
    /// What the decision on another attempt needs to know besides the failure; to be asked before
    /// `end`.
    ///
    /// - Parameters:
    ///   - result: The attempt's.
    ///   - wall: What the wall clock reads, as far as is known.
    ///   - now: The present.
    /// - Returns: What is known.
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
            wasResumed: result.resume?.resumedFrom != nil,
            leavesUpload: result.leavesUpload,
            retryAfter: (result.response ?? result.proxyResponse).flatMap {
                RetryAfter.wait(in: $0.fields, now: wall)
            }
        )
    }
}
