package import TransferModel

/// The progress of a background session's transfers.
///
/// A round begins with the first run after a complete one. It ends with a run that leaves nothing
/// open, or when the user cancels it.
package struct BackgroundRound: Sendable, Equatable {
    /// The job of the round.
    package struct Job: Sendable, Hashable {
        /// The name in the job file.
        package var name: String
        /// The job file's path, absolute and without links.
        package var path: String

        /// Identifies the job wherever its file lies; nil when its name and path identify it.
        package var identifier: String?

        /// Creates a job; `path` must be absolute and without links.
        package init(name: String, path: String, identifier: String? = nil) {
            self.name = name
            self.path = path
            self.identifier = identifier
        }

        /// Whether two runs are of one job; a job may get an identifier between them.
        func isSame(as other: Job) -> Bool {
            if let identifier, let another = other.identifier { return identifier == another }
            return name == other.name && path == other.path
        }
    }

    /// A transfer that the round began, and its progress.
    package struct Transfer: Sendable, Equatable {
        /// The id of its task in the job file.
        package let id: String
        /// Eight bytes that identify the transfer: another transfer with the same id has others.
        let mark: UInt64
        /// The attempts so far, and the end if there was one.
        package internal(set) var state: EarlierTransfer
    }

    /// The last run of the round that reached its end.
    package struct Finish: Sendable, Hashable {
        /// The run's identifier, as in its report.
        package var runIdentifier: String
        /// The run's exit code, as in its report.
        package var exitCode: Int32
        /// The absolute path of its report; empty when that was not written.
        package var reportPath: String
        /// Whether all notifications were delivered.
        package var isDelivered: Bool

        /// Creates the end of a run.
        package init(
            runIdentifier: String,
            exitCode: Int32,
            reportPath: String,
            isDelivered: Bool
        ) {
            self.runIdentifier = runIdentifier
            self.exitCode = exitCode
            self.reportPath = reportPath
            self.isDelivered = isDelivered
        }
    }

    /// The job of the round's last run.
    package internal(set) var job: Job
    /// When the first run of the round began.
    package let beginDate: Timestamp
    /// Whether the next run continues the round.
    package internal(set) var state = RoundState.open
    /// The number of transfers in the whole job; nil while only parts of it were run.
    package internal(set) var taskCount: Int?
    /// The end of the last finished run, perhaps of the round before; nil without one.
    package internal(set) var finish: Finish?
    /// Whether that run ends the round once its notifications are delivered.
    package private(set) var endsOnceDelivered = false
    /// The transfers in the order they began.
    package private(set) var transfers: [Transfer] = []
    /// The indices of the transfers, by id.
    private var places: [String: Int] = [:]

    init(job: Job, beginDate: Timestamp) {
        self.job = job
        self.beginDate = beginDate
    }

    /// Whether a run of the whole job began in the round: then a run of a part does not end it.
    var isWhole: Bool { taskCount != nil }

    /// The round for a run that continues it, whatever end the previous run recorded.
    var reopened: BackgroundRound {
        var round = self
        round.state = .open
        round.endsOnceDelivered = false
        return round
    }

    /// The index of a transfer in `transfers`.
    func place(of id: String) -> Int? { places[id] }

    /// Changes a transfer; forgets another transfer with the same id.
    private mutating func change(
        _ id: String,
        _ mark: UInt64,
        _ change: (inout EarlierTransfer) -> Void
    ) {
        if let place = places[id] {
            if transfers[place].mark != mark {
                transfers[place] = Transfer(id: id, mark: mark, state: EarlierTransfer(attempts: 0))
            }
            change(&transfers[place].state)
        } else {
            var state = EarlierTransfer(attempts: 0)
            change(&state)
            add(Transfer(id: id, mark: mark, state: state))
        }
    }

    private mutating func add(_ transfer: Transfer) {
        places[transfer.id] = transfers.count
        transfers.append(transfer)
    }

    /// Removes transfers.
    private mutating func drop(_ ids: Set<String>) {
        let kept = transfers.filter { !ids.contains($0.id) }
        transfers = []
        places = [:]
        for transfer in kept { add(transfer) }
    }

    // MARK: In a journal

    /// Kinds of entries.
    private enum Kind {
        /// The whole round.
        static let round: UInt8 = 1
        /// An attempt is about to begin.
        static let begun: UInt8 = 2
        /// An attempt ended, but not the transfer.
        static let waiting: UInt8 = 3
        static let ended: UInt8 = 4
        /// Transfers that are no longer in the job.
        static let dropped: UInt8 = 5
        /// A run reached its end.
        static let finished: UInt8 = 6
        /// The notifications about that run were delivered.
        static let delivered: UInt8 = 7
        static let cancelled: UInt8 = 8
    }

    /// An event of a round.
    enum Step {
        case begun(id: String, mark: UInt64, deadline: Timestamp?, hasKey: Bool)
        case waiting(id: String, mark: UInt64, failures: Int)
        case ended(id: String, mark: UInt64, EarlierTransfer.End)
        case dropped([String])
        /// `endsRound` applies once the notifications are delivered.
        case finished(Finish, endsRound: Bool)
        case delivered
        case cancelled

        /// The step as an entry of a journal.
        var entry: JournalText.Entry {
            var content: [UInt8] = []
            let kind: UInt8
            switch self {
            case .begun(let id, let mark, let deadline, let hasKey):
                kind = Kind.begun
                content.add(id)
                content.add(mark)
                content.add(deadline) { $0.add($1) }
                content.add(hasKey)
            case .waiting(let id, let mark, let failures):
                kind = Kind.waiting
                content.add(id)
                content.add(mark)
                content.add(UInt32(clamping: failures))
            case .ended(let id, let mark, let end):
                kind = Kind.ended
                content.add(id)
                content.add(mark)
                content.add(end)
            case .dropped(let ids):
                kind = Kind.dropped
                for id in ids { content.add(id) }
            case .finished(let finish, let endsRound):
                kind = Kind.finished
                content.add(finish)
                content.add(endsRound)
            case .delivered: kind = Kind.delivered
            case .cancelled: kind = Kind.cancelled
            }
            return JournalText.Entry(kind: kind, content: content)
        }

        /// nil for an entry of another kind or an unreadable one.
        init?(_ entry: JournalText.Entry) {
            var fields = JournalFields(entry.content)
            do throws(JournalFields.Unreadable) {
                switch entry.kind {
                case Kind.begun:
                    self = .begun(
                        id: try fields.text(),
                        mark: try fields.number(),
                        deadline: try fields.optional { (fields) throws(JournalFields.Unreadable) in
                            try fields.date()
                        },
                        hasKey: try fields.flag()
                    )
                case Kind.waiting:
                    self = .waiting(
                        id: try fields.text(),
                        mark: try fields.number(),
                        failures: Int(try fields.number(UInt32.self))
                    )
                case Kind.ended:
                    self = .ended(
                        id: try fields.text(),
                        mark: try fields.number(),
                        try fields.end()
                    )
                case Kind.dropped:
                    var ids: [String] = []
                    while !fields.rest.isEmpty { ids.append(try fields.text()) }
                    self = .dropped(ids)
                case Kind.finished:
                    self = .finished(try fields.finish(), endsRound: try fields.flag())
                case Kind.delivered: self = .delivered
                case Kind.cancelled: self = .cancelled
                default: return nil
                }
            } catch {
                return nil
            }
        }
    }

    mutating func take(_ step: Step) {
        switch step {
        case .begun(let id, let mark, let deadline, let hasKey):
            change(id, mark) { transfer in
                transfer.attempts += 1
                transfer.wasCut = true
                transfer.hadKey = hasKey
                transfer.deadline = deadline
                transfer.end = nil
            }
        case .waiting(let id, let mark, let failures):
            change(id, mark) { transfer in
                transfer.wasCut = false
                transfer.failures = failures
            }
        case .ended(let id, let mark, let end):
            change(id, mark) { transfer in
                transfer.wasCut = false
                transfer.end = end
            }
        case .dropped(let ids): drop(Set(ids))
        case .finished(let finish, let endsRound):
            self.finish = finish
            endsOnceDelivered = endsRound
        case .delivered:
            finish?.isDelivered = true
            if endsOnceDelivered { state = .finished }
        case .cancelled: state = .cancelled
        }
    }

    /// The whole round as an entry, which makes all earlier entries superfluous.
    var entry: JournalText.Entry {
        var content: [UInt8] = []
        content.add(job.name)
        content.add(job.path)
        content.add(job.identifier) { $0.add($1) }
        content.add(beginDate)
        content.add(state.rawValue)
        content.add(taskCount) { $0.add(UInt64(clamping: $1)) }
        content.add(finish) { $0.add($1) }
        for transfer in transfers {
            content.add(transfer.id)
            content.add(transfer.mark)
            content.add(transfer.state)
        }
        return JournalText.Entry(kind: Kind.round, content: content)
    }

    /// Reads a round from entries; nil when there is none or it is unreadable.
    init?(_ entries: [JournalText.Entry]) {
        guard let place = entries.lastIndex(where: { $0.kind == Kind.round }) else { return nil }
        var fields = JournalFields(entries[place].content)
        do throws(JournalFields.Unreadable) {
            job = Job(
                name: try fields.text(),
                path: try fields.text(),
                identifier: try fields.optional { (fields) throws(JournalFields.Unreadable) in
                    try fields.text()
                }
            )
            beginDate = try fields.date()
            guard let state = RoundState(rawValue: try fields.number()) else { return nil }
            self.state = state
            taskCount = try fields.optional { (fields) throws(JournalFields.Unreadable) in
                Int(clamping: try fields.number(UInt64.self))
            }
            finish = try fields.optional { (fields) throws(JournalFields.Unreadable) in
                try fields.finish()
            }
            while !fields.rest.isEmpty {
                add(
                    Transfer(
                        id: try fields.text(),
                        mark: try fields.number(),
                        state: try fields.transfer()
                    )
                )
            }
        } catch {
            return nil
        }
        for entry in entries[(place + 1)...] {
            if let step = Step(entry) { take(step) }
        }
    }
}

/// Whether the next run continues the round; the file stores the raw value.
package enum RoundState: UInt8, Sendable {
    /// The next run continues the unfinished transfers.
    case open = 1
    /// Every transfer has ended: the next run begins a new round.
    case finished
    /// The user cancelled the round: the next run begins a new one.
    case cancelled
}

extension [UInt8] {
    fileprivate mutating func add(_ finish: BackgroundRound.Finish) {
        add(finish.runIdentifier)
        add(finish.exitCode)
        add(finish.reportPath)
        add(finish.isDelivered)
    }
}

extension JournalFields {
    fileprivate mutating func finish() throws(Unreadable) -> BackgroundRound.Finish {
        BackgroundRound.Finish(
            runIdentifier: try text(),
            exitCode: try number(),
            reportPath: try text(),
            isDelivered: try flag()
        )
    }
}
