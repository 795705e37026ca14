import TransferModel

/// The sums over the ended tasks.
struct RunTally {
    private var sums = RunSummary(endDate: Timestamp(microseconds: 0))

    /// Adds one task; `verdict` is the exit code that its end asks for.
    mutating func add(_ record: TaskRecord, verdict: ExitCode) {
        sums.tasks += 1
        switch record.outcome {
        case .succeeded: sums.succeeded += 1
        case .unchanged: sums.unchanged += 1
        case .failed: sums.failed += 1
        case .deferred: sums.deferred += 1
        case .cancelled: sums.cancelled += 1
        case .skipped: sums.skipped += 1
        }
        if record.isCached { sums.cached += 1 }
        sums.attempts += record.attemptCount
        sums.redirects += record.redirectCount
        for index in record.transactions.indices
        where record.transactions[index].resourceFetchType == .localCache {
            sums.cacheHits += 1
        }
        sums.countOfBytesSent &+= record.countOfBytesSent
        sums.countOfBytesReceived &+= record.countOfBytesReceived
        if record.required, verdict != .success {
            sums.exitCode = sums.exitCode.combined(with: verdict)
        }
    }

    /// The sums of a run that ended at `endDate`; a signal's exit code wins over that of the tasks.
    func summary(endDate: Timestamp, stopReason: StopReason?) -> RunSummary {
        var summary = sums
        summary.endDate = endDate
        if let code = stopReason?.exitCode { summary.exitCode = code }
        return summary
    }
}
