import Journal
import Scheduler
import Transfer
import TransferModel

/// The idempotency keys of a run's orders, made from what the job's journal keeps.
final class JournalledKeys: OrderKeys {
    let journal: KeyJournal

    init(_ journal: KeyJournal) {
        self.journal = journal
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
        do throws(KeyJournal.Fault) {
            try journal.commit()
        } catch {
            throw .unkept("the idempotency key", error)
        }
    }

    /// Keeps that the run ends with exit code 0.
    ///
    /// - Throws: `Exit` when that may not be on the disk.
    func end() throws(Exit) {
        do throws(KeyJournal.Fault) {
            try journal.end()
        } catch {
            throw Exit(
                .environment,
                "\(error.message): every order was accepted, but the next run uses the same idempotency keys again"
            )
        }
    }
}

extension TransferFailure {
    /// An order that must not be sent, because a later run would not know of it.
    static func unkept(_ what: String, _ fault: JournalFault) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .prepare,
            detail: "\(what) cannot be kept: \(fault.message)"
        )
        failure.osErrno = Int(fault.errno)
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        return failure
    }
}
