internal import SystemKit
package import TransferModel

/// Keeps the idempotency keys of a job's orders (unsafe requests) across its runs, in the job's
/// file.
///
/// An order keeps its key until a run that had it accepted ends with exit code 0. A run of some
/// tasks with that exit code drops all keys if the last whole run began all orders and none is
/// open. `init` saves the seeds of the keys to the disk, and `commit` saves that an order is about
/// to be sent. So the next run always makes the same key. One process at a time may use the file:
/// the caller holds the job's lock.
package final class KeyJournal: RunEventSink {
    /// The most remembered orders, at eight bytes each; the oldest are forgotten first.
    package static let mostOrders = 1 << 20

    /// The file's path.
    package let path: String
    /// When the continued round began; nil when no order was begun in it before.
    package let beginDate: Timestamp?
    /// When the round of this run began.
    package let roundBeginDate: Timestamp
    /// The number of orders that lost their keys because of `mostOrders`.
    package let forgottenCount: Int
    private let rounds: KeyRounds
    /// The seeds of all rounds; the last one is that of the current round.
    private let seeds: [[UInt8]]
    /// The orders of earlier runs and the indices of their seeds.
    private let known: [UInt64: Int]
    private let file: JournalFile
    /// The number of orders in the job; nil for a run of a part of it.
    private let orderCount: Int?

    /// The number of orders that this run began.
    private var begunCount = 0
    /// The orders of earlier runs that this run began again.
    private var repeated: Set<UInt64> = []
    /// Optional orders that were not accepted.
    private var open: Set<UInt64> = []
    /// Orders in progress, by task number.
    private var inFlight: [Int: UInt64] = [:]
    /// Orders that `commit` must write before they are sent.
    private var begun: [UInt64] = []
    /// Accepted orders, for the next write.
    private var accepted: [UInt64] = []

    /// Continues the job's round, or begins a new one.
    ///
    /// - Parameters:
    ///   - folderPath: The folder; created with its parents, readable by its owner only.
    ///   - name: The file's name, without a slash.
    ///   - date: The current time.
    ///   - seed: The seed for the keys of a new round: 32 random bytes.
    ///   - orderCount: The number of orders in the job; nil for a run of only some tasks.
    ///   - mostOrders: The most remembered orders.
    /// - Throws: `JournalFault` when the file cannot be read or written, is damaged, may have been
    ///   written by others, or comes from a later version.
    package init(
        in folderPath: String,
        name: String,
        at date: Timestamp,
        seed: [UInt8],
        orderCount: Int?,
        mostOrders: Int = KeyJournal.mostOrders
    ) throws(JournalFault) {
        self.orderCount = orderCount
        path = folderPath + "/" + name
        do throws(SystemError) {
            let folder = try Folder(path: folderPath, create: true, mode: 0o700, isDurable: true)
            let bytes = try JournalFile.read(path)
            var rounds = try Self.rounds(in: bytes, of: path)
            beginDate = rounds.present.flatMap { $0.isEmpty ? nil : $0.beginDate }
            forgottenCount = rounds.keep(atMost: mostOrders)
            rounds.begin(KeyRounds.Round(seed: seed, beginDate: date), isPart: orderCount == nil)
            roundBeginDate = rounds.present?.beginDate ?? date
            file = try JournalFile(in: folder, name: name, replacing: bytes, with: rounds.entries)
            self.rounds = rounds
        } catch {
            throw JournalFault(error)
        }
        seeds = rounds.all.map(\.seed)
        known = Self.index(rounds.all)
    }

    /// Counts the orders that a journal remembers: later runs must send them under their keys.
    ///
    /// - Parameter path: The file's path.
    /// - Returns: Their number; 0 without a file.
    /// - Throws: `JournalFault` as in `init`.
    package static func countOfOrders(at path: String) throws(JournalFault) -> Int {
        do throws(SystemError) {
            let rounds = try rounds(in: JournalFile.read(path), of: path).all
            return rounds.reduce(0) { $0 + $1.open.count + $1.accepted.count }
        } catch {
            throw JournalFault(error)
        }
    }

    /// The seed for the key of an order; notes that the order begins.
    ///
    /// - Parameters:
    ///   - order: Identifies the order.
    ///   - task: The number of its task, from 1.
    /// - Returns: The seed of the round in which the order is open, otherwise that of the current
    ///   round.
    package func seed(of order: UInt64, task: Int) -> [UInt8] {
        inFlight[task] = order
        begunCount += 1
        if let place = known[order] {
            repeated.insert(order)
            return seeds[place]
        }
        begun.append(order)
        return seeds.last ?? []
    }

    /// Whether an earlier run began the order, so that its key is from then.
    package func knows(_ order: UInt64) -> Bool { known[order] != nil }

    /// Saves to the disk that the orders passed to `seed` are about to be sent.
    ///
    /// - Throws: `JournalFault` when that fails, and from then on always: a failed fsync must not
    ///   be repeated.
    package func commit() throws(JournalFault) {
        guard !begun.isEmpty else { return }
        try writeMarks()
    }

    /// Notes how the server received an order whose task ended; `end` or `keep` saves it.
    package func receive(_ event: RunEvent) {
        guard case .taskFinished(let task) = event,
            let order = inFlight.removeValue(forKey: task.record.taskIdentifier)
        else { return }
        let isAccepted = task.record.outcome == .succeeded || task.record.outcome == .unchanged
        if isAccepted {
            accepted.append(order)
        } else if !task.record.required {
            // An unaccepted required order prevents exit code 0.
            open.insert(order)
        }
    }

    /// Writes that the run ended with exit code 0; call it once, when that is final.
    ///
    /// - Throws: `JournalFault` when this may not be on the disk: then it is not in the file
    ///   either.
    package func end() throws(JournalFault) {
        let isPart = orderCount == nil
        // Such a run says nothing about other orders.
        if isPart, begunCount == 0 { return }
        let ended = rounds.ended(
            isDone: { repeated.contains($0) && !open.contains($0) },
            open: open.filter { known[$0] == nil }.sorted(),
            isPart: isPart
        )
        try write(ended.entries)
    }

    /// Writes the accepted orders of a run with another exit code, and whether it began all orders.
    ///
    /// - Throws: `JournalFault` when this may not be on the disk: then the round lasts longer than
    ///   necessary.
    package func keep() throws(JournalFault) {
        let isWhole = begunCount == orderCount
        if isWhole || !accepted.isEmpty { try writeMarks(isWhole ? [KeyRounds.whole] : []) }
    }

    private func writeMarks(_ more: [JournalText.Entry] = []) throws(JournalFault) {
        var entries: [JournalText.Entry] = []
        if !begun.isEmpty { entries.append(KeyRounds.begun(begun)) }
        if !accepted.isEmpty { entries.append(KeyRounds.accepted(accepted)) }
        try write(entries + more)
        begun.removeAll(keepingCapacity: true)
        accepted.removeAll(keepingCapacity: true)
    }

    private func write(_ entries: [JournalText.Entry]) throws(JournalFault) {
        do throws(SystemError) {
            try file.add(entries.flatMap { JournalText.bytes(of: $0) })
        } catch {
            throw JournalFault(error)
        }
    }

    private static func rounds(
        in bytes: [UInt8]?,
        of path: String
    ) throws(SystemError) -> KeyRounds {
        guard let bytes else { return KeyRounds() }
        return try JournalFile.content(
            of: bytes,
            at: path,
            loss: "sent orders get new keys, so that servers may process them twice",
            understand: KeyRounds.init
        )
    }

    private static func index(_ rounds: [KeyRounds.Round]) -> [UInt64: Int] {
        var index: [UInt64: Int] = [:]
        index.reserveCapacity(rounds.reduce(0) { $0 + $1.open.count + $1.accepted.count })
        for (place, round) in rounds.enumerated() {
            for orders in [round.open, round.accepted] {
                for order in orders where index[order] == nil { index[order] = place }
            }
        }
        return index
    }
}
