internal import SystemKit
package import TransferModel

/// Keeps the idempotency keys of a job's orders over its runs, in a file of the job's own.
///
/// An order keeps its key until a run in which it was accepted has ended with exit code 0, or one
/// of a part of the job has, and none is open of all those that the last run of the whole job has
/// begun. The seeds that keys are made from are on the disk before `init` returns, and that an
/// order is about to be sent is before `commit` does: whatever happens then, the next run makes the
/// same key. One process at a time may have the file: the caller holds the job's lock.
package final class KeyJournal: RunEventSink {
    package typealias Fault = JournalFault

    /// Orders are remembered by eight bytes each, and no more of them than these: the first ones
    /// are forgotten first.
    package static let mostOrders = 1 << 20

    /// The file.
    package let path: String
    /// When the round began that this run goes on with; nil when no order of it was begun before.
    package let beginDate: Timestamp?
    /// When the round began that this run belongs to.
    package let roundBeginDate: Timestamp
    /// How many orders have lost their keys because there were more than `mostOrders`.
    package let forgottenCount: Int
    private let rounds: KeyRounds
    /// Of all rounds; the last one is that of the round that goes on.
    private let seeds: [[UInt8]]
    /// The orders of earlier runs, and where their seeds are.
    private let known: [UInt64: Int]
    private let file: JournalFile
    /// How many orders the job has; nil when the run is of a part of it.
    private let orderCount: Int?

    /// How many orders this run has begun.
    private var begunCount = 0
    /// Orders of earlier runs that this one has begun.
    private var repeated: Set<UInt64> = []
    /// Orders that are not required and were not accepted.
    private var open: Set<UInt64> = []
    /// Orders that were begun and have not ended, by the numbers of their tasks.
    private var inFlight: [Int: UInt64] = [:]
    /// Orders that `commit` has to write down before they are sent.
    private var begun: [UInt64] = []
    /// Orders that were accepted, which is written down with what comes next.
    private var accepted: [UInt64] = []

    /// Goes on with the round of the job, or begins one.
    ///
    /// - Parameters:
    ///   - folderPath: The folder, made with its parents; readable by its owner alone.
    ///   - name: The file's name, without a slash.
    ///   - date: The present.
    ///   - seed: What the keys of a new round are made from: 32 random bytes.
    ///   - orderCount: How many orders the job has; nil for a run that only some of its tasks were
    ///     chosen for.
    ///   - mostOrders: How many orders are remembered.
    /// - Throws: `Fault` when the file cannot be read or written, is damaged, others may have
    ///   written it, or a later version of this program has.
    package init(
        in folderPath: String,
        name: String,
        at date: Timestamp,
        seed: [UInt8],
        orderCount: Int?,
        mostOrders: Int = KeyJournal.mostOrders
    ) throws(Fault) {
        self.orderCount = orderCount
        path = folderPath + "/" + name
        do throws(SystemError) {
            let folder = try Folder(
                path: folderPath,
                create: true,
                mode: 0o700,
                isDurable: true
            )
            let bytes = try JournalFile.read(path)
            var rounds = try Self.rounds(in: bytes, of: path)
            beginDate = rounds.present.flatMap { $0.isEmpty ? nil : $0.beginDate }
            forgottenCount = rounds.keep(atMost: mostOrders)
            rounds.begin(KeyRounds.Round(seed: seed, beginDate: date), isPart: orderCount == nil)
            roundBeginDate = rounds.present?.beginDate ?? date
            file = try JournalFile(
                in: folder,
                name: name,
                replacing: bytes,
                with: rounds.entries
            )
            self.rounds = rounds
        } catch {
            throw Fault(error)
        }
        seeds = rounds.all.map(\.seed)
        known = Self.index(rounds.all)
    }

    /// What the key of an order is made from; notes that the order begins.
    ///
    /// - Parameters:
    ///   - order: What the order is remembered by.
    ///   - task: The number of its task, from 1.
    /// - Returns: That of an earlier round when the order is open since then, else that of the
    ///   present one.
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

    /// Whether an order is one that an earlier round has begun, so that its key is of that time.
    package func knows(_ order: UInt64) -> Bool { known[order] != nil }

    /// Puts on the disk that the orders which `seed` was asked for are about to be sent.
    ///
    /// - Throws: `Fault` when that fails, and from then on: an fsync that has failed is not to be
    ///   repeated.
    package func commit() throws(Fault) {
        guard !begun.isEmpty else { return }
        try writeMarks()
    }

    package func receive(_ event: RunEvent) {
        guard case .taskFinished(let record) = event,
            let order = inFlight.removeValue(forKey: record.taskIdentifier)
        else { return }
        let isAccepted = record.outcome == .succeeded || record.outcome == .unchanged
        if isAccepted {
            accepted.append(order)
        } else if !record.required {
            // A required one keeps the run from ending with 0.
            open.insert(order)
        }
    }

    /// Writes down that the run has ended with exit code 0; to be called once, when nothing can
    /// change that any more.
    ///
    /// - Throws: `Fault` when that may not be on the disk: then it is not in the file either.
    package func end() throws(Fault) {
        let isPart = orderCount == nil
        // It says nothing about the orders of others.
        if isPart, begunCount == 0 { return }
        let ended = rounds.ended(
            isDone: { repeated.contains($0) && !open.contains($0) },
            open: open.filter { known[$0] == nil }.sorted(),
            isPart: isPart
        )
        try write(ended.entries)
    }

    /// Writes down what was accepted, of a run that has ended with another exit code, and whether
    /// it has begun all orders.
    ///
    /// - Throws: `Fault` when that may not be on the disk: the round then goes on for longer than
    ///   it would have.
    package func keep() throws(Fault) {
        let isWhole = begunCount == orderCount
        if isWhole || !accepted.isEmpty { try writeMarks(isWhole ? [KeyRounds.whole] : []) }
    }

    private func writeMarks(_ more: [JournalText.Entry] = []) throws(Fault) {
        var entries: [JournalText.Entry] = []
        if !begun.isEmpty { entries.append(KeyRounds.begun(begun)) }
        if !accepted.isEmpty { entries.append(KeyRounds.accepted(accepted)) }
        try write(entries + more)
        begun.removeAll(keepingCapacity: true)
        accepted.removeAll(keepingCapacity: true)
    }

    private func write(_ entries: [JournalText.Entry]) throws(Fault) {
        do throws(SystemError) {
            try file.add(entries.flatMap { JournalText.bytes(of: $0) })
        } catch {
            throw Fault(error)
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
            loss: "orders that were sent get new keys and may be carried out twice",
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
