import Diagnostics
import Plan
import Report
import SystemKit
import Transfer
import TransferModel

/// A run as the command line describes it, up to its summary: reads the job under its lock, and
/// runs the plan.
struct RunLaunch {
    /// The lock file of a run.
    enum Lock {
        case none
        /// The run fetches what the lock file has.
        case obeyed
        /// The run makes one.
        case made(LockRecorder)
    }

    let jobPath: String
    let variables: [String: String]
    /// The ids of the tasks; none for all.
    let only: [String]
    var shard: Shard?
    /// The tasks of `--rerun-failed`; nil without it.
    var earlier: FailedTasks?
    var report: ReportChoice
    var progress: ProgressStyle
    var failFast = false
    let state: StateFolder
    /// The descriptor by which a detached run reports its progress.
    var readyDescriptor: Int32?
    var lock = Lock.none

    /// Less than a kilobyte each.
    private static let mostKeptTasks = 16_384

    /// Runs the job to its end.
    ///
    /// - Returns: The plan without the values of its secrets, and the summary; nil when nothing was
    ///   left to run.
    /// - Throws: `Exit` for a run that does not begin.
    func run() throws -> (plan: Plan, summary: RunSummary)? {
        let waiter = try Waiter(descriptor: readyDescriptor)
        ProcessContext.disableCoreDumps()
        Engine.preload()
        let signals = RunSignals()
        let takeLock = { (request: LockRequest) throws(Exit) in
            try RunLock(
                request,
                in: state,
                jobPath: jobPath,
                signals: signals,
                isQuiet: progress.isQuiet
            ).take()
        }
        var (held, heldJob): (FileLock?, JobIdentity?)
        // Held to the end of the run, including the report.
        defer { withExtendedLifetime(held) {} }
        let source = try readJob { (request: LockRequest) throws(Exit) in
            let job = JobIdentity(request, path: jobPath)
            guard job != heldJob else { return false }
            // A job that was renamed meanwhile has another lock.
            held = nil
            let (lock, wasAwaited) = try takeLock(request)
            (held, heldJob) = (lock, job)
            return wasAwaited
        }
        let plan = try applyingLockFile(to: source.requirePlan(), redactor: source.redactor)
        if let earlier, try earlier.isDone(by: plan) { return nil }
        // Two runs at once would not know each other's orders.
        if plan.orderCount > 0 {
            let request = LockRequest(of: plan)
            if held == nil { held = try takeLock(request).lock }
            try RunLock.requireOneDivision(of: request, in: state, jobPath: jobPath)
        }
        let locks = try state.lockBackground(plan.sessions)
        defer { withExtendedLifetime(locks) {} }
        let request = try request(for: plan, of: source.content)
        return (plan, try JobRun(request: request, signals: signals, waiter: waiter).run())
    }

    private func readJob(lock: (LockRequest) throws(Exit) -> Bool) throws(Exit) -> JobSource {
        try JobSource(
            path: jobPath,
            variables: variables,
            only: only,
            shard: shard,
            allowsAbsentTasks: earlier != nil,
            reportPath: report.path,
            run: .present(),
            mostKeptTasks: Self.mostKeptTasks,
            lock: lock
        )
    }

    private func applyingLockFile(to plan: Plan, redactor: Redactor?) throws(Exit) -> Plan {
        switch lock {
        case .none: plan
        case .made: plan.with(.making)
        case .obeyed:
            plan.with(.obeying(try JobLockFile(jobPath: jobPath).require(by: plan, redactor)))
        }
    }

    private func request(for plan: Plan, of source: SourceText) throws -> RunRequest {
        var recorder: LockRecorder?
        if case .made(let own) = lock { recorder = own }
        return RunRequest(
            plan: plan,
            jobPath: jobPath,
            source: source,
            failFast: failFast,
            reportPath: try report.path ?? plan.reportPaths[.json]
                ?? state.reportPath(of: JobIdentity(of: plan, path: jobPath)),
            printsReport: report.isPrinted,
            progress: progress,
            state: state,
            selection: only.isEmpty ? nil : earlier == nil ? .only : .rerunFailed,
            lockRecorder: recorder
        )
    }
}
