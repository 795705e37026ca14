import Journal
import Plan
import Report
import SystemKit
import Transfer
import TransferModel

extension JobRun {
    /// The idempotency keys of the job's orders; nil when none are made.
    ///
    /// What they are made from is on the disk when this returns.
    func keys(of plan: Plan, _ clock: RunClock) throws(Obstacle) -> JournalledKeys? {
        guard plan.orderCount > 0 else { return nil }
        guard let place = state.keyJournal(jobName: plan.name, jobPath: path) else {
            throw Obstacle(
                "there is no state folder for idempotency keys: name one with --state-dir"
            )
        }
        guard Order.canBeDigested else {
            throw Obstacle("`idempotencyKey: auto` takes libcrypto, which cannot be loaded")
        }
        var generator = SystemRandomNumberGenerator()
        let journal: KeyJournal
        do throws(KeyJournal.Fault) {
            journal = try KeyJournal(
                in: place.folder,
                name: place.name,
                at: clock.wall,
                seed: (0..<32).map { _ in .random(in: 0...255, using: &generator) },
                orderCount: isPart ? nil : plan.orderCount
            )
        } catch {
            throw Obstacle("idempotency keys cannot be kept: \(error.message)")
        }
        tell(of: journal)
        return JournalledKeys(journal)
    }

    private func tell(of journal: KeyJournal) {
        if journal.forgottenCount > 0 {
            say(
                "warning: more than \(KeyJournal.mostOrders) orders are open: the first "
                    + "\(journal.forgottenCount) get new idempotency keys when they come back"
            )
        }
        if let date = journal.beginDate, progress != .none {
            say(
                "no run since \(date.rfc3339.prefix(19))Z has ended with 0: "
                    + "orders keep their idempotency keys; for new ones delete \(journal.path)"
            )
        }
    }

    /// Says something to people.
    func say(_ text: String) {
        StandardError.say(text)
    }
}
