import Diagnostics
import Journal
import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// One run of a plan: the order of its steps.
struct JobRun {
    let request: RunRequest
    let signals: RunSignals
    /// The process that waits until a detached run begins.
    let waiter: Waiter

    /// Runs to the end, the report included; a run that cannot begin leaves a report, too.
    ///
    /// The reports' files are opened before anything is sent or started: a run that could not be
    /// reported does nothing. Secrets are read after the jitter, because all machines of a fleet
    /// would otherwise ask for them at once.
    func run() throws -> RunSummary {
        let secrets = RunSecrets(of: request.plan)
        let inbox = Inbox<Scheduler.Message>()
        let endTime = RunEndTime()
        try signals.hear { signal in
            secrets.stop(signal)
            endTime.takeSignal()
            return inbox.pass(signal)
        }
        let hook = RunHook(of: request, hiding: secrets.hidden, signals: signals, inbox: inbox)
        let outputs = try openReports(telling: hook, until: endTime)
        try waiter.runBegins(reportPath: request.absoluteReportPath)
        let context = RunContext(
            request: request,
            start: RunStart(of: request.plan.schedule),
            signals: signals,
            inbox: inbox,
            hook: hook
        )
        if let deadline = request.plan.schedule.deadline {
            endTime.take(context.start.clock.monotonic + deadline)
        }
        do {
            try context.start.wait(for: request, hearing: inbox)
            try context.start.requireWindow(of: request.plan.schedule)
            let job = try secrets.fill(request.plan)
            hook.notes.fill(job.plan.webhook)
            let resources = try RunResources(for: job, in: context)
            let report = Reports(outputs, redactor: job.redactor)
            let scheduler = scheduler(for: job, in: context, resources, report)
            let summary = scheduler.run()
            try resources.release(
                after: summary,
                leavesAttempts: scheduler.leavesAttempts,
                reportFailure: report.failure
            )
            return summary
        } catch let obstacle as RunObstacle {
            let report = Reports(outputs, redactor: secrets.hideFound())
            throw end(for: obstacle, in: context, report)
        }
    }

    /// Opens the files of all reports that the run writes.
    private func openReports(
        telling hook: RunHook,
        until end: RunEndTime
    ) throws(Exit) -> [Reports.Output] {
        let detail = request.plan.reportDetail
        var outputs: [Reports.Output] = []
        var opened = ReportKind.json
        do throws(SystemError) {
            for (kind, path) in request.reportPaths {
                opened = kind
                let file = try kind.open(at: path)
                let format = kind.makeFormat(detail: detail, forGitLab: ReportKind.gitLabPaths)
                outputs.append(Reports.Output(format) { file })
            }
            if request.printsReport {
                outputs.append(
                    Reports.Output(JSONReport(detail: detail)) {
                        PrintedReport(of: end)
                    }
                )
            }
        } catch {
            let message = "the report `\(opened.rawValue)`: \(error.message)"
            throw hook.told(Exit(.environment, message), hasReport: false)
        }
        return outputs
    }

    /// The scheduler, with all observers of the run.
    private func scheduler(
        for job: FilledJob,
        in context: RunContext,
        _ resources: RunResources,
        _ report: Reports
    ) -> Scheduler {
        let display = display(redactor: job.redactor, report)
        let keys = resources.keys
        // Its group begins before the display's first line, and ends before its summary.
        var listeners: [any RunEventSink] = [display]
        if let actions = gitHubActions(redactor: job.redactor) { listeners.insert(actions, at: 0) }
        var sinks: [any RunEventSink] = [report, ListenersAfterReports(report, listeners)]
        if let keys { sinks.append(keys.journal) }
        if job.plan.webhook != nil { sinks.append(context.hook.notes) }
        if let recorder = request.lockRecorder {
            recorder.hide(with: job.redactor)
            sinks.append(recorder)
        }
        var schedule = job.plan.schedule
        schedule.failFast = schedule.failFast || request.failFast
        return Scheduler(
            TaskResolver(
                job.plan,
                sessions: job.plan.sessions,
                clock: context.start.clock,
                orderKeys: keys,
                background: resources.background
            ),
            schedule: schedule,
            header: context.start.header(
                of: request,
                engine: resources.engine.description,
                keyRoundBeginDate: keys?.journal.roundBeginDate
            ),
            runner: resources.engine,
            inbox: context.inbox,
            sinks: sinks,
            progressInterval: [display.progressInterval, report.progressInterval]
                .compactMap(\.self).min(),
            hasExternalPower: resources.watch.hasExternalPower,
            suspended: resources.suspended,
            requestTurns: resources.engine.requestTurns
        )
    }

    /// Shows the run while it runs.
    private func display(redactor: Redactor?, _ report: Reports) -> any ProgressListener {
        let path = request.reportPath
        if request.progress == .json {
            return EventLines(redactor: redactor, reportPath: report.isPublished ? path : nil)
        }
        return ProgressDisplay(
            style: request.progress,
            redactor: redactor,
            reportPath: report.isPublished ? path : nil
        )
    }

    /// Tells GitHub Actions of the run; nil elsewhere.
    private func gitHubActions(redactor: Redactor?) -> GitHubActions? {
        let places = GitHubActions.Places(
            environment: ProcessContext.environment,
            workingFolder: ProcessContext.workingFolder
        )
        return places.map { places in
            GitHubActions(
                places,
                redactor: redactor,
                reportPath: request.reportPath,
                say: { StandardError.write(Array($0.utf8)) },
                append: { path, text in
                    do throws(SystemError) {
                        try AppendFile.append(to: path, text)
                        return nil
                    } catch {
                        return error.message
                    }
                }
            )
        }
    }

    /// Reports a run that does not begin.
    ///
    /// - Returns: The end of the process.
    private func end(for obstacle: RunObstacle, in context: RunContext, _ report: Reports) -> Exit {
        let summary = Scheduler.endUnbegun(
            TaskResolver(request.plan, sessions: request.plan.sessions, clock: context.start.clock),
            schedule: request.plan.schedule,
            header: context.start.header(of: request, engine: nil),
            reason: obstacle.reason,
            sinks: [report]
        )
        let failure = report.failure
        let exit = Exit(
            summary.exitCode.combined(with: failure == nil ? .success : .environment),
            [obstacle.message, failure?.message].compactMap(\.self)
        )
        return context.hook.told(exit, hasReport: failure == nil)
    }
}

/// Passes the events of a run on, its end with the exit code that the reports leave.
final class ListenersAfterReports: RunEventSink {
    private let reports: Reports
    private let listeners: [any RunEventSink]

    /// Listeners that get each event after the reports.
    init(_ reports: Reports, _ listeners: [any RunEventSink]) {
        self.reports = reports
        self.listeners = listeners
    }

    func receive(_ event: RunEvent) {
        guard case .finished(let summary) = event else { return send(event) }
        send(.finished(reports.ended(summary)))
    }

    private func send(_ event: RunEvent) {
        for listener in listeners { listener.receive(event) }
    }
}
