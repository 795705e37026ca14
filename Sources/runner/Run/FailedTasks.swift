import Plan
import Report
import SystemKit
import TransferModel

/// The tasks of an earlier run that did not succeed, for `--rerun-failed`.
struct FailedTasks {
    /// The name of the job that the earlier run was of.
    let jobName: String
    /// The ids of the tasks, in the order of their ends: failed, cancelled, deferred and skipped
    /// ones, without those that their `when` kept from starting.
    let ids: [String]

    /// Reads a report.
    ///
    /// - Throws: `Exit` for a file that is no report.
    init(of file: WrittenReport) throws {
        let report = try file.read()
        var ids: [String] = []
        try file.naming {
            try report.forEachTask { task in
                switch task.outcome {
                case .succeeded, .unchanged: break
                case .skipped where task.isRefused: break
                case .failed, .deferred, .cancelled, .skipped: ids.append(task.id)
                }
            }
        }
        jobName = report.run.head.jobName
        self.ids = ids
    }

    /// Whether no task is left to run, which it then says.
    ///
    /// - Throws: `Exit` for a report of another job: its ids mean other tasks.
    func isDone(by plan: Plan) throws(Exit) -> Bool {
        let name = plan.name
        guard name == jobName else {
            throw Exit(
                .usage,
                "the report of --rerun-failed is of the job `\(TerminalText.harmless(jobName))`, "
                    + "not of `\(TerminalText.harmless(name))`"
            )
        }
        let absent = plan.absentTasks
        if ids.isEmpty { StandardError.say("every task of that run succeeded: nothing to run") }
        if let first = absent.first {
            let more = absent.count > 1 ? " and \(absent.count - 1) more" : ""
            StandardError.say(
                "the job file no longer has the task `\(TerminalText.harmless(first))`\(more) of "
                    + "the report of --rerun-failed"
                    + (absent.count == ids.count ? ": nothing to run" : "; the others run")
            )
        }
        return absent.count == ids.count
    }
}
