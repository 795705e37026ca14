internal import SystemKit
package import TransferModel

/// Keeps the state of a background session's transfers across the runs of its job, in the session's
/// file.
///
/// One process at a time may use the file: the caller holds the session's lock. Each `write` puts
/// all earlier steps into the file; only a durable one guarantees that they are on the disk.
package final class BackgroundJournal {
    /// The run that opens the journal.
    package struct Run: Sendable {
        /// The run's identifier, as in its report.
        package var identifier: String
        /// The job that the run belongs to; an open round of another job is a fault.
        package var job: BackgroundRound.Job
        /// When the run began, by the wall clock.
        package var startDate: Timestamp
        /// The number of the session's transfers in the whole job; nil when the run has only some
        /// tasks.
        package var taskCount: Int?
        /// Runs of the job whose end is missing in some of its journals; rounds that these runs
        /// ended continue.
        package var unended: Set<String>

        /// Creates a run that is about to open the journal.
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

    /// A transfer that this run began or continues.
    private struct Present {
        var mark: UInt64
        var failures: Int
        /// Whether an earlier run ended the transfer.
        var hasEnded: Bool
        /// Whether sending the request again could have a second effect.
        var isUnsafe: Bool
        /// Whether the server can recognize a repeat by a key.
        var hasKey: Bool
    }

    /// The file's path.
    package let path: String
    /// The state that earlier runs left.
    package let earlier: BackgroundRound
    private let run: Run
    private let file: JournalFile

    private var present: [String: Present] = [:]
    /// Whether this run has met each transfer of earlier runs, by index.
    private var isSeen: [Bool]
    /// Whether a transfer ended in a way that a later run can improve.
    private var leavesOpen = false
    /// The steps for the next `write`.
    private var steps: [UInt8] = []

    /// Continues the open round, or begins a new one.
    ///
    /// - Parameters:
    ///   - folderPath: The folder; created with its parents, readable by its owner only.
    ///   - name: The file's name, without a slash.
    ///   - run: The run that opens the journal.
    /// - Throws: `JournalFault` when the file cannot be read or written, is damaged, may have been
    ///   written by others, comes from a later version, or has an open round of another job.
    package init(in folderPath: String, name: String, run: Run) throws(JournalFault) {
        let path = folderPath + "/" + name
        self.path = path
        do throws(SystemError) {
            let folder = try Folder(path: folderPath, create: true, mode: 0o700, isDurable: true)
            let bytes = try JournalFile.read(path)
            let last = try bytes.map { (bytes) throws(SystemError) in
                try Self.round(in: bytes, of: path)
            }
            if let last, last.state == .open, !last.job.isSame(as: run.job),
                !last.transfers.isEmpty
            {
                throw .notPermitted("use", path, reason: Self.otherJob(last.job))
            }
            var round =
                last.flatMap { Self.goesOn($0, in: run) ? $0.reopened : nil }
                ?? BackgroundRound(job: run.job, beginDate: run.startDate)
            // This run also makes the pending notification about the last run.
            round.finish = last?.finish
            round.job = run.job
            round.taskCount = run.taskCount ?? round.taskCount
            file = try JournalFile(in: folder, name: name, replacing: bytes, with: [round.entry])
            earlier = round
        } catch {
            throw JournalFault(error)
        }
        self.run = run
        isSeen = Array(repeating: false, count: earlier.transfers.count)
    }

    private static func goesOn(_ round: BackgroundRound, in run: Run) -> Bool {
        switch round.state {
        case .open: true
        case .cancelled: false
        case .finished:
            round.job.isSame(as: run.job)
                && round.finish.map { run.unended.contains($0.runIdentifier) } ?? false
        }
    }

    private static func otherJob(_ job: BackgroundRound.Job) -> String {
        "the job `\(job.name.onOneLine(limit: 80).text)` (\(job.path.onOneLine(limit: 200).text)) "
            + "has unfinished "
            + "transfers in this session: run that job, or end the session with `runner cancel`"
    }

    private static func round(
        in bytes: [UInt8],
        of path: String
    ) throws(SystemError) -> BackgroundRound {
        try JournalFile.content(
            of: bytes,
            at: path,
            loss: "the next run starts its transfers again and resends orders without a key",
            understand: BackgroundRound.init
        )
    }

    // MARK: Transfers

    /// Whether an earlier run of the round began a task with that id.
    package func knows(_ id: String) -> Bool { earlier.place(of: id) != nil }

    /// The state that earlier runs left of this run's transfer; nil when there is none, or only
    /// that of another transfer.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - mark: Identifies the transfer.
    ///   - isUnsafe: Whether sending the request again could have a second effect.
    ///   - hasKey: Whether the server can recognize a repeat by a key.
    /// - Returns: The earlier state.
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

    /// Notes that an attempt begins, for a transfer that was passed to `recall`.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - deadline: The transfer's deadline; nil for none.
    /// - Returns: Whether this must be on the disk before the request is sent.
    package func attemptBegins(_ id: String, deadline: Timestamp?) -> Bool {
        guard let transfer = present[id] else { return false }
        add(
            .begun(id: id, mark: transfer.mark, deadline: deadline, hasKey: transfer.hasKey)
        )
        return transfer.isUnsafe
    }

    /// Notes that an attempt ended and another will follow.
    ///
    /// - Parameters:
    ///   - id: The task's.
    ///   - failures: The number of attempts used up.
    package func attemptEnded(_ id: String, failures: Int) {
        guard var transfer = present[id] else { return }
        transfer.failures = failures
        present[id] = transfer
        add(.waiting(id: id, mark: transfer.mark, failures: transfer.failures))
    }

    /// Notes that a task of the session ended.
    ///
    /// - Parameters:
    ///   - record: The task's record.
    ///   - redact: Removes the secrets from a text.
    /// - Returns: Whether this must be on the disk before the end is reported.
    package func taskEnded(_ record: TaskRecord, redact: (String) -> String) -> Bool {
        let place = earlier.place(of: record.id)
        if let place { isSeen[place] = true }
        let transfer = present.removeValue(forKey: record.id)
        let hasEnded =
            transfer?.hasEnded ?? place.map { earlier.transfers[$0].state.end != nil } ?? false
        guard !hasEnded else { return false }
        // A lack on this machine after the response does not undo the server's work.
        let isOnce = transfer.map { $0.isUnsafe && !$0.hasKey } ?? false
        let isFinal = record.isFinal || isOnce && record.mayHaveArrived
        // A user who has suspended the session will run the job again for the rest.
        if !isFinal || record.error?.kind == .suspended { leavesOpen = true }
        guard let transfer else { return false }
        if isFinal {
            let end = EarlierTransfer.End(record, in: run.identifier, redact: redact)
            add(.ended(id: record.id, mark: transfer.mark, end))
        } else {
            // In a later run, a transfer without attempts left gets new ones.
            let failures = record.outcome == .failed ? 0 : transfer.failures
            add(.waiting(id: record.id, mark: transfer.mark, failures: failures))
        }
        return transfer.isUnsafe
    }

    private func add(_ step: BackgroundRound.Step) {
        steps += JournalText.bytes(of: step.entry)
    }

    // MARK: Writing

    /// Writes the steps since the last call.
    ///
    /// - Parameter isDurable: Whether they must be on the disk when this returns.
    /// - Throws: `JournalFault` when that fails, and from then on always: a failed fsync must not
    ///   be repeated.
    package func write(isDurable: Bool) throws(JournalFault) {
        guard !steps.isEmpty else { return }
        do throws(SystemError) {
            try file.add(steps, isDurable: isDurable)
        } catch {
            throw JournalFault(error)
        }
        steps.removeAll(keepingCapacity: true)
    }

    /// Why a step is missing in the file; nil if none is.
    package var fault: JournalFault? { file.fault.map { JournalFault($0) } }

    /// Writes that the run ended, report included; with `delivered` the round may then be over.
    ///
    /// - Parameter finish: How the run ended, and whether its notification is pending.
    /// - Returns: The transfers that are no longer in the job.
    /// - Throws: `JournalFault` when this may not be on the disk.
    package func end(_ finish: BackgroundRound.Finish) throws(JournalFault) -> [String] {
        let unseen = zip(earlier.transfers, isSeen).filter { !$1 }.map(\.0)
        // A user who stopped the run by a signal will run the job again for the rest.
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

    /// Writes that the notification about the last finished run was delivered.
    ///
    /// - Throws: `JournalFault` when this may not be on the disk: then the notification is
    ///   repeated.
    package func delivered() throws(JournalFault) {
        add(.delivered)
        try write(isDurable: true)
    }

    // MARK: Without a run

    /// Reads a journal.
    ///
    /// - Parameter path: The file's path.
    /// - Returns: nil without a file.
    /// - Throws: `JournalFault` as in `init`.
    package static func read(_ path: String) throws(JournalFault) -> BackgroundRound? {
        do throws(SystemError) {
            guard let bytes = try JournalFile.read(path) else { return nil }
            return try round(in: bytes, of: path)
        } catch {
            throw JournalFault(error)
        }
    }

    /// Ends an open round; the caller holds the session's lock.
    ///
    /// - Parameters:
    ///   - folderPath: The journal's folder.
    ///   - name: The file's name.
    /// - Returns: The state before; nil without a file.
    /// - Throws: `JournalFault` as in `init`.
    package static func cancel(in folderPath: String, name: String) throws(JournalFault)
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
            throw JournalFault(error)
        }
        return left
    }
}

extension TaskRecord {
    /// Whether no later run of the round can improve the result.
    fileprivate var isFinal: Bool {
        switch outcome {
        case .succeeded, .unchanged: true
        case .deferred: false
        case .failed, .skipped: !isRetryable && !isForWantOfMachine
        // A cancelled request may still have been processed by the server.
        case .cancelled: error?.isOutcomeUnknown ?? false
        }
    }
}

extension TaskRecord {
    /// Whether a lack on this machine caused the failure when the request may have reached the
    /// server.
    fileprivate var mayHaveArrived: Bool {
        guard isForWantOfMachine, let error, !error.isKnownUnprocessed else { return false }
        return error.phase != .prepare || error.followsOrder
    }
}

extension EarlierTransfer.End {
    fileprivate init(_ record: TaskRecord, in runIdentifier: String, redact: (String) -> String) {
        let hasSucceeded = record.outcome == .succeeded || record.outcome == .unchanged
        self.init(
            runIdentifier: runIdentifier,
            date: record.endDate,
            outcome: hasSucceeded ? record.outcome : .failed
        )
        error = record.error
        if let failure = record.error {
            error?.detail = redact(failure.detail)
            // The help may quote the server.
            error?.help = failure.help.map(redact)
        }
        file = record.file.map {
            PublishedFile(path: redact($0.path), size: $0.size, sha256: $0.sha256)
        }
        voucher = record.voucher
    }
}
