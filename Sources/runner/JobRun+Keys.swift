import Journal
import Plan
import Report
import SystemKit
import Transfer
import TransferModel

extension JobRun {
    /// What keeps the idempotency keys of the job's orders; nil when none are made.
    ///
    /// What they are made from is on the disk when this returns.
    func keyJournal(of plan: Plan, _ clock: RunClock) throws(Obstacle) -> KeyJournal? {
        guard plan.makesKeys else { return nil }
        guard let place = state.keyJournal(jobName: plan.name, jobPath: path) else {
            throw Obstacle(
                "there is no state folder for idempotency keys: name one with --state-dir"
            )
        }
        var generator = SystemRandomNumberGenerator()
        do throws(KeyJournal.Fault) {
            let journal = try KeyJournal(
                in: place.folder,
                name: place.name,
                chosen: chosen,
                at: clock.wall,
                seed: (0..<32).map { _ in .random(in: 0...255, using: &generator) }
            )
            tell(of: journal.past, "\(place.folder)/\(place.name)")
            return journal
        } catch {
            throw Obstacle("idempotency keys cannot be kept: \(error.message)")
        }
    }

    /// Makes keys as long as the run lasts.
    func keyMaker(of journal: KeyJournal) throws(Obstacle) -> RunKeyMaker {
        guard let maker = IdempotencyKeyMaker(seed: journal.seed) else {
            throw Obstacle("`idempotencyKey: auto` takes libcrypto, which cannot be loaded")
        }
        return { (spec: TaskSpec) throws(TransferFailure) in
            try maker.key(of: spec, isSpent: journal.isSpent)
        }
    }

    typealias RunKeyMaker = (TaskSpec) throws(TransferFailure) -> String

    /// Writes down what has come of the orders; returns why that could not be done.
    func end(_ journal: KeyJournal?) -> String? {
        do throws(KeyJournal.Fault) {
            try journal?.end()
            return nil
        } catch {
            return "\(error.message): the next run makes the same idempotency keys again"
        }
    }

    private func tell(of past: KeyJournal.Past, _ path: String) {
        let text: String
        switch past {
        case .none: return
        case .round(let date):
            guard progress != .none else { return }
            text =
                "the orders of \(date.rfc3339.prefix(19))Z are not all answered: their idempotency keys are used again"
        case .unreadable: text = "warning: \(path) is not whole: idempotency keys are made anew"
        }
        StandardError.write(Array("runner: \(text)\n".utf8))
    }
}
