internal import SystemKit
package import TransferModel

/// Keeps the transfers of a background session over the runs of its job, in a file of the session's
/// own.
///
/// One process at a time may have the file: the caller holds the session's lock. What is said to it
/// is on the disk after the next `write`, or by the kernel's grace after the one after that.
package final class BackgroundJournal {
    package typealias Fault = JournalFault

    /// The run that opens a journal.
    package struct Run: Sendable {
        package var identifier: String
        package var job: BackgroundRound.Job
        package var startDate: Timestamp
        /// How many transfers the session has in the whole job; nil when only some tasks were
        /// chosen for the run.
        package var taskCount: Int?
        /// Runs of the job whose ends are not in all of its journals: rounds that they have ended
        /// go on.
        package var unended: Set<String>

        package init(
            identifier: String,
            job: BackgroundRound.Job,
            startDate: Timestamp,
            taskCount: Int?,
            unended: Set<String> = []
        ) {
            self.identifier = identifier
            self.job = job
            self.startDate = startDate
            self.taskCount = taskCount
            self.unended = unended
        }
    }

    /// A transfer that this run has begun or goes on with.
    private struct Present {
        var mark: UInt64
        var failures: Int
        /// Whether an earlier run has ended it.
        var hasEnded: Bool
        /// Whether sending it again could do something twice.
        var isUnsafe: Bool
        /// Whether its server can tell a repeat by a key.
        var hasKey: Bool
    }

    /// The file.
    package let path: String
    /// What earlier runs have left.
    package let earlier: BackgroundRound
    private let run: Run
    private let file: JournalFile

    private var present: [String: Present] = [:]
    /// The transfers of earlier runs that this one has come across, by their places.
    private var isSeen: [Bool]
    /// Whether one has ended in a way that a later run can better.
    private var leavesOpen = false
    /// What the next `write` writes.
    private var steps: [UInt8] = []

    /// Goes on with the round that is open, or begins one.
    ///
    /// - Parameters:
    ///   - folderPath: The folder, made with its parents; readable by its owner alone.
    ///   - name: The file's name, without a slash.
    ///   - run: Who opens it.
    /// - Throws: `Fault` when the file cannot be read or written, is damaged, others may have
    ///   written it, a later version of this program has, or another job has left its round open.
    package init(in folderPath: String, name: String, run: Run) throws(Fault) {
        let path = folderPath + "/" + name
        self.path = path
        do throws(SystemError) {
            let folder = try Folder(
                path: folderPath,
                create: true,
                mode: 0o700,
                isDurable: true
            )
            let bytes = try JournalFile.read(path)
            let last = try bytes.map { (bytes) throws(SystemError) in
                try Self.round(in: bytes, of: path)
            }
            if let last, last.state == .open, last.job != run.job, !last.transfers.isEmpty {
                throw .notPermitted("use", path, reason: Self.otherJob(last.job))
            }
            var round =
                last.flatMap { Self.goesOn($0, in: run) ? $0.reopened : nil }
                ?? BackgroundRound(job: run.job, beginDate: run.startDate)
            // Who was to be told of the last run is told by this one.
            round.finish = last?.finish
            round.job = run.job
            round.taskCount = run.taskCount ?? round.taskCount
            file = try JournalFile(in: folder, name: name, replacing: bytes, with: [round.entry])
            earlier = round
        } catch {
            throw Fault(error)
        }
        self.run = run
        isSeen = Array(repeating: false, count: earlier.transfers.count)
    }

    private static func goesOn(_ round: BackgroundRound, in run: Run) -> Bool {
        switch round.state {
        case .open: true
        case .cancelled: false
        case .finished:
            round.job == run.job
                && round.finish.map { run.unended.contains($0.runIdentifier) } ?? false
        }
    }

    private static func otherJob(_ job: BackgroundRound.Job) -> String {
        "the job `\(job.name.onOneLine(limit: 80).text)` (\(job.path.onOneLine(limit: 200).text)) has left "
            + "transfers in it: run that one, or end it with `runner cancel`"
    }

    private static func round(
        in bytes: [UInt8],
        of path: String
    ) throws(SystemError) -> BackgroundRound {
        try JournalFile.content(
            of: bytes,
            at: path,
            loss: "transfers are begun anew, and orders without a key are sent again",
            understand: BackgroundRound.init
        )
    }

    // MARK: Transfers

    /// Whether an earlier run of the round has begun a task of that id.
    package func knows(_ id: String) -> Bool { earlier.place(of: id) != nil }

    /// What earlier runs have left of a transfer that this run comes to; nil when that is nothing,
    /// or of another transfer.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - mark: What the transfer is.
    ///   - isUnsafe: Whether sending it again could do something twice.
    ///   - hasKey: Whether its server can tell a repeat by a key.
    /// - Returns: How far it has come.
    package func recall(
        _ id: String,
        mark: UInt64,
        isUnsafe: Bool,
        hasKey: Bool = false
    ) -> EarlierTransfer? {
        var left: EarlierTransfer?
        if let place = earlier.place(of: id) {
            isSeen[place] = true
            let transfer = earlier.transfers[place]
            if transfer.mark == mark { left = transfer.state }
        }
        present[id] = Present(
            mark: mark,
            failures: left?.failures ?? 0,
            hasEnded: left?.end != nil,
            isUnsafe: isUnsafe,
            hasKey: hasKey
        )
        return left
    }

    /// A try of a transfer that `recall` was asked for is about to begin.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - deadline: When its time is over; nil for never.
    /// - Returns: Whether that has to be on the disk before it is sent.
    package func attemptBegins(_ id: String, deadline: Timestamp?) -> Bool {
        guard let transfer = present[id] else { return false }
        add(
            .begun(id: id, mark: transfer.mark, deadline: deadline, hasKey: transfer.hasKey)
        )
        return transfer.isUnsafe
    }

    /// A try has ended, and another one follows.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - failures: How many of the tries that the transfer has are used up.
    package func attemptEnded(_ id: String, failures: Int) {
        guard var transfer = present[id] else { return }
        transfer.failures = failures
        present[id] = transfer
        add(.waiting(id: id, mark: transfer.mark, failures: transfer.failures))
    }

    /// A task of the session has ended.
    ///
    /// - Parameters:
    ///   - record: What it has led to.
    ///   - redact: Takes the secrets out of a text.
    /// - Returns: Whether that has to be on the disk before anybody is told.
    package func taskEnded(_ record: TaskRecord, redact: (String) -> String) -> Bool {
        let place = earlier.place(of: record.id)
        if let place { isSeen[place] = true }
        let transfer = present.removeValue(forKey: record.id)
        let hasEnded =
            transfer?.hasEnded ?? place.map { earlier.transfers[$0].state.end != nil } ?? false
        guard !hasEnded else { return false }
        // What this machine lacked for the response does not take the order back.
        let isOnce = transfer.map { $0.isUnsafe && !$0.hasKey } ?? false
        let isFinal = record.isFinal || isOnce && record.mayHaveArrived
        if !isFinal { leavesOpen = true }
        guard let transfer else { return false }
        if isFinal {
            let end = EarlierTransfer.End(record, in: run.identifier, redact: redact)
            add(.ended(id: record.id, mark: transfer.mark, end))
        } else {
            // One that has used up its tries has new ones in a later run.
            let failures = record.outcome == .failed ? 0 : transfer.failures
            add(.waiting(id: record.id, mark: transfer.mark, failures: failures))
        }
        return transfer.isUnsafe
    }

    private func add(_ step: BackgroundRound.Step) {
        steps += JournalText.bytes(of: step.entry)
    }

    // MARK: Writing

    /// Writes down what was said since the last time.
    ///
    /// - Parameter isDurable: Whether it has to be on the disk before this returns.
    /// - Throws: `Fault` when that fails, and from then on: an fsync that has failed is not to be
    ///   repeated.
    package func write(isDurable: Bool) throws(Fault) {
        guard !steps.isEmpty else { return }
        do throws(SystemError) {
            try file.add(steps, isDurable: isDurable)
        } catch {
            throw Fault(error)
        }
        steps.removeAll(keepingCapacity: true)
    }

    /// Why something that was said is not in the file.
    package var fault: Fault? { file.fault.map { Fault($0) } }

    /// Writes down that the run has got to its end, report and all; with `delivered` the round may
    /// then be over.
    ///
    /// - Parameter finish: How it ended, and whether somebody has yet to be told.
    /// - Returns: The transfers that the job no longer has.
    /// - Throws: `Fault` when that may not be on the disk.
    package func end(_ finish: BackgroundRound.Finish) throws(Fault) -> [String] {
        let unseen = zip(earlier.transfers, isSeen).filter { !$1 }.map(\.0)
        // Who has ended the run by a signal has not waited for what it had to say, and runs the job
        // again.
        let isStopped = [.interrupted, .terminated].contains(ExitCode(rawValue: finish.exitCode))
        var endsRound = !leavesOpen && !isStopped
        if run.taskCount == nil {
            endsRound = endsRound && !earlier.isWhole && unseen.allSatisfy { $0.state.end != nil }
        } else if !unseen.isEmpty {
            add(.dropped(unseen.map(\.id)))
        }
        add(.finished(finish, endsRound: endsRound))
        try write(isDurable: true)
        return run.taskCount == nil ? [] : unseen.map(\.id)
    }

    /// Writes down that everybody was told of the last run that has got to its end.
    ///
    /// - Throws: `Fault` when that may not be on the disk: they will be told once more.
    package func delivered() throws(Fault) {
        add(.delivered)
        try write(isDurable: true)
    }

    // MARK: Without a run

    /// What a journal says.
    ///
    /// - Parameter path: The file's.
    /// - Returns: nil when there is no such file.
    /// - Throws: `Fault` as `init` does.
    package static func read(_ path: String) throws(Fault) -> BackgroundRound? {
        do throws(SystemError) {
            guard let bytes = try JournalFile.read(path) else { return nil }
            return try round(in: bytes, of: path)
        } catch {
            throw Fault(error)
        }
    }

    /// Ends a round that is open; the caller holds the session's lock.
    ///
    /// - Parameters:
    ///   - folderPath: The journal's folder.
    ///   - name: The file's name.
    /// - Returns: What was left; nil when there is no such file.
    /// - Throws: `Fault` as `init` does.
    package static func cancel(in folderPath: String, name: String) throws(Fault)
        -> BackgroundRound?
    {
        let path = folderPath + "/" + name
        guard let left = try read(path), left.state == .open else { return try read(path) }
        var round = left
        round.take(.cancelled)
        do throws(SystemError) {
            let folder = try Folder(path: folderPath, create: false)
            let bytes = try JournalFile.read(path)
            _ = try JournalFile(in: folder, name: name, replacing: bytes, with: [round.entry])
        } catch {
            throw Fault(error)
        }
        return left
    }
}

extension TaskRecord {
    /// Whether no later run of the round can better it.
    fileprivate var isFinal: Bool {
        switch outcome {
        case .succeeded, .unchanged: true
        case .deferred: false
        case .failed, .skipped: !isRetryable && !isForWantOfMachine
        // Who has cancelled it did not know what the server makes of it.
        case .cancelled: error?.isOutcomeUnknown ?? false
        }
    }
}

extension TaskRecord {
    /// Whether it has failed for want of something on this machine when its request may have
    /// arrived.
    fileprivate var mayHaveArrived: Bool {
        guard isForWantOfMachine, let error, !error.isKnownUnprocessed else { return false }
        return error.phase != .prepare || error.followsOrder
    }
}

extension EarlierTransfer.End {
    fileprivate init(
        _ record: TaskRecord,
        in runIdentifier: String,
        redact: (String) -> String
    ) {
        let hasSucceeded = record.outcome == .succeeded || record.outcome == .unchanged
        self.init(
            runIdentifier: runIdentifier,
            date: record.endDate,
            outcome: hasSucceeded ? record.outcome : .failed
        )
        error = record.error
        if let failure = record.error {
            error?.detail = redact(failure.detail)
            // It may quote the server.
            error?.help = failure.help.map(redact)
        }
        file = record.file.map {
            TaskRecord.PublishedFile(path: redact($0.path), size: $0.size, sha256: $0.sha256)
        }
        voucher = record.voucher
    }
}
