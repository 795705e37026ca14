import SystemKit
import Transfer
import TransferModel

/// What a task's attempts so far say about another one.
extension ActiveTask {
    /// How much further an attempt must at most bring a file so that it counts as progress, bytes.
    private static let leastProgress: Int64 = 1 << 20

    /// What the decision on another attempt needs to know besides the failure; to be asked before `end`.
    ///
    /// - Parameters:
    ///   - result: The attempt's.
    ///   - wall: What the wall clock reads, as far as is known.
    ///   - now: The present.
    /// - Returns: What is known.
    func history(
        after result: AttemptResult,
        wall: Timestamp,
        _ now: MonotonicTime
    ) -> RetryDecision.History {
        noteProgress(result.resume)
        return RetryDecision.History(
            attempts: failures,
            remaining: retryLimit.map { $0 - now },
            hasBrokenFraming: hasBrokenFraming,
            wasResumed: result.resume?.resumedFrom != nil,
            leavesUpload: result.leavesUpload,
            retryAfter: (result.response ?? result.proxyResponse).flatMap {
                RetryAfter.wait(in: $0.fields, now: wall)
            }
        )
    }

    /// Attempts are counted anew from one that has brought the file further by a MiB or a hundredth, or has found an upload
    /// to be: a server that cuts every transfer does not keep it from becoming whole.
    ///
    /// Who begins anew, because the file has changed, is no further, however much has come.
    private func noteProgress(_ resume: ResumeOutcome?) {
        if let upload = resume?.upload?.partial {
            // What the server says that it has, which is known when it was asked again.
            noteProgress(to: upload.confirmed, of: upload.total)
        } else if let resume, let partial = resume.partial,
            resume.resumedFrom != nil || progress.size == 0
        {
            noteProgress(to: partial.size, of: partial.total)
        }
    }

    private func noteProgress(to size: Int64, of total: Int64) {
        guard size - progress.size >= max(1, min(Self.leastProgress, total / 100)) else { return }
        progress = (number - 1, size)
        earlierFailures = 0
        attemptsWithoutNetwork = 0
    }
}
