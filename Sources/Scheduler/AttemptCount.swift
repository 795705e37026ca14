import Transfer
import TransferModel

/// Counts a task's attempts, and the attempts that `retry.attempts` limits.
struct AttemptCount {
    /// The growth of a file that always counts as progress, bytes.
    private static let leastProgress: Int64 = 1 << 20

    /// The number of the attempt that runs, or of the last one; 0 before the first.
    private(set) var number = 0
    /// How many attempts earlier runs have made; nil when the task begins in this run.
    let earlierAttempts: Int?
    /// Attempts of earlier runs that count as if this run had made them.
    private var earlierFailures: Int
    /// How many attempts do not count: attempts before the last progress, and attempts without a
    /// permitted interface.
    private var uncounted = 0
    /// The largest size that an attempt has brought the file to, bytes.
    private var size: Int64 = 0
    /// How many counted attempts failed before they sent anything, because this machine had no
    /// network.
    private var withoutNetwork = 0
    /// Whether the last attempt is one of them.
    private var isLastWithoutNetwork = false

    /// The count of a task that begins.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts earlier runs have made; nil when the task begins in this
    ///     run.
    ///   - failures: How many of them count towards `retry.attempts`.
    init(earlierAttempts attempts: Int? = nil, earlierFailures failures: Int = 0) {
        earlierAttempts = attempts
        earlierFailures = failures
    }

    /// How many attempts count towards `retry.attempts`, those of earlier runs too.
    var failures: Int { earlierFailures + number - uncounted }

    /// How many attempts count towards `retry.attempts` of a later run: a night without a network
    /// leaves it all of them.
    var failuresForLaterRuns: Int { failures - withoutNetwork }

    /// Counts an attempt that begins.
    mutating func begin() {
        number += 1
        isLastWithoutNetwork = false
    }

    /// Takes back the last attempt, whose number the next one has again.
    mutating func retract() {
        number -= 1
        forgetNetwork()
    }

    /// Keeps the last attempt's number and does not count it.
    mutating func forgive() {
        uncounted += 1
        forgetNetwork()
    }

    /// Notes that the last attempt failed because this machine had no network.
    mutating func failWithoutNetwork() {
        withoutNetwork += 1
        isLastWithoutNetwork = true
    }

    /// Does not count a missing network for an attempt that is not counted itself.
    private mutating func forgetNetwork() {
        guard isLastWithoutNetwork else { return }
        withoutNetwork -= 1
        isLastWithoutNetwork = false
    }

    /// Counts anew from an attempt that has brought the file further by a MiB or a hundredth, or
    /// has begun an upload.
    ///
    /// So a server that cuts every transfer does not prevent a complete file. A download that
    /// begins anew, because the file has changed, is no progress, however many bytes it received.
    mutating func noteProgress(_ resume: ResumeOutcome?) {
        if let upload = resume?.upload?.partial {
            // The size that the server has confirmed, which the next try asks for.
            noteProgress(to: upload.confirmed, of: upload.total)
        } else if let resume, let partial = resume.partial,
            resume.resumedFrom != nil || size == 0
        {
            noteProgress(to: partial.receivedCount, of: partial.total)
        }
    }

    /// Counts anew from the present attempt when `size` is far enough ahead.
    mutating func noteProgress(to size: Int64, of total: Int64) {
        guard size - self.size >= max(1, min(Self.leastProgress, total / 100)) else { return }
        (uncounted, self.size) = (number - 1, size)
        earlierFailures = 0
        withoutNetwork = 0
    }
}
