import Journal
import Plan
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// The idempotency keys of a run's orders, made from the seeds that the job's journal keeps.
final class JournalledKeys: OrderKeys {
    let journal: KeyJournal

    init(_ journal: KeyJournal) {
        self.journal = journal
    }

    /// Opens the journal of a job's idempotency keys, whose seed is on the disk when this returns.
    ///
    /// - Returns: The keys; nil when the job has no orders.
    /// - Throws: `RunObstacle` when keys cannot be kept.
    static func open(
        for plan: Plan,
        request: RunRequest,
        at now: Timestamp
    ) throws(RunObstacle) -> JournalledKeys? {
        guard plan.orderCount > 0 else { return nil }
        guard let place = request.state.keyJournal(of: request.job) else {
            throw RunObstacle(
                "there is no state folder for idempotency keys: name one with --state-dir"
            )
        }
        guard Order.canBeDigested else {
            throw RunObstacle("`idempotencyKey: auto` needs libcrypto, which cannot be loaded")
        }
        try requireOneDivision(of: request.job, in: request.state)
        var generator = SystemRandomNumberGenerator()
        let journal: KeyJournal
        do throws(JournalFault) {
            journal = try KeyJournal(
                in: place.folder,
                name: place.name,
                at: now,
                seed: (0..<32).map { _ in .random(in: 0...255, using: &generator) },
                orderCount: request.isPart ? nil : plan.orderCount
            )
        } catch {
            throw RunObstacle("idempotency keys cannot be stored: \(error.message)")
        }
        announce(journal, isQuiet: request.isQuiet)
        return JournalledKeys(journal)
    }

    /// Refuses to send orders that a run of another number of shards has begun: they would get
    /// other keys.
    private static func requireOneDivision(
        of job: JobIdentity,
        in state: StateFolder
    ) throws(RunObstacle) {
        do {
            for (path, shard) in try state.keyJournals(besides: job) {
                let count = try KeyJournal.countOfOrders(at: path)
                guard count > 0 else { continue }
                let part = shard.map { "with --shard \($0.text)" } ?? "without --shard"
                throw RunObstacle(
                    "a run \(part) has left \(count) orders in \(path): end them first by a run "
                        + "\(part) that still has these orders and gets them accepted, or delete "
                        + "the file if no order can arrive twice"
                )
            }
        } catch let obstacle as RunObstacle {
            throw obstacle
        } catch {
            throw RunObstacle("journals of other shards cannot be read: \(message(of: error))")
        }
    }

    private static func message(of error: any Error) -> String {
        (error as? JournalFault)?.message ?? (error as? SystemError)?.message ?? "\(error)"
    }

    private static func announce(_ journal: KeyJournal, isQuiet: Bool) {
        if journal.forgottenCount > 0 {
            StandardError.say(
                "warning: more than \(KeyJournal.mostOrders) orders are open: the first "
                    + "\(journal.forgottenCount) get new idempotency keys when they are sent again"
            )
        }
        if let date = journal.beginDate, !isQuiet {
            StandardError.say(
                "no run since \(date.rfc3339.prefix(19))Z ended with exit code 0: "
                    + "orders keep their idempotency keys; to get new keys, delete \(journal.path)"
            )
        }
    }

    func key(of spec: TaskSpec) throws(TransferFailure) -> OrderKey {
        let order = try Order(spec)
        let seed = journal.seed(of: order.mark, task: spec.index + 1)
        return OrderKey(
            text: try order.key(from: seed),
            files: order.files,
            isReused: journal.knows(order.mark)
        )
    }

    func commit() throws(TransferFailure) {
        do throws(JournalFault) {
            try journal.commit()
        } catch {
            throw .unkept("the idempotency key", error)
        }
    }

    /// Keeps that the run ends with exit code 0.
    ///
    /// - Throws: `Exit` when the end may not be on the disk.
    func end() throws(Exit) {
        do throws(JournalFault) {
            try journal.end()
        } catch {
            throw Exit(
                .environment,
                "\(error.message): the servers accepted every order, but the next run will use "
                    + "the same idempotency keys"
            )
        }
    }
}

extension TransferFailure {
    /// The failure of an order that is not sent, because a later run would not know of it.
    static func unkept(_ what: String, _ fault: JournalFault) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .prepare,
            detail: "\(what) cannot be stored: \(fault.message)"
        )
        failure.osErrno = Int(fault.errno)
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        return failure
    }
}
