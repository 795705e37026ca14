internal import JSON
internal import SystemKit
internal import TransferModel

/// Makes one report of several: of the shards of a job, or of a run and its reruns.
///
/// Of the tasks with one id the last to end wins; of two that ended at the same time, the later
/// argument's task wins. Reports of shards must be of all shards of one job file.
///
/// The sums of attempts, redirects and bytes include the tasks that lost, because that work was
/// done. The winners alone decide the numbers of outcomes and the exit code.
///
/// Each report is read twice, from front to back; of each task its id stays in memory.
package struct ReportMerge {
    /// The size of the text that is gathered before a write, bytes.
    private static let bufferSize = 64 * 1024

    /// In the order of the arguments.
    private let reports: [ReportReader]
    /// The positions of the reports by the beginnings of their runs.
    private let order: [Int]
    private let shards: ShardSet
    private var winners: [ByteText: Winner] = [:]
    private var supersededCount = 0
    private var summary: RunSummary
    private let detail: ReportDetail

    /// The task that the merged report has of an id.
    private struct Winner {
        var report: Int
        var endDate: Timestamp
        var outcome: TaskOutcome
        var verdict: ExitCode
    }

    /// Whether the reports are of runs of different versions of the job file.
    package let hasDifferentJobFiles: Bool

    /// Reads the reports and decides which task wins.
    ///
    /// - Parameter reports: At least one.
    /// - Throws: `ReportMergeFault` for reports that do not fit together; `ReportFault` for a task
    ///   that cannot be read.
    package init(_ reports: [ReportReader]) throws {
        self.reports = reports
        for (index, report) in reports.enumerated() {
            do throws(ReportDetail.Lack) {
                try report.require(.failures)
            } catch {
                throw ReportMergeFault(index: index, message: error.message)
            }
            guard report.run.head.jobName == reports[0].run.head.jobName else {
                let names = [report, reports[0]].map { ForeignText().line($0.run.head.jobName) }
                throw ReportMergeFault(
                    index: index,
                    message: "is of the job `\(names[0])`, and the first report of `\(names[1])`"
                )
            }
        }
        shards = try ShardSet(of: reports)
        order = reports.indices.sorted {
            (reports[$0].run.head.startDate, $0) < (reports[$1].run.head.startDate, $1)
        }
        detail = reports.reduce(.full) { $0.reduced(to: $1.detail) }
        hasDifferentJobFiles = Set(reports.map(\.jobSHA256)).count > 1
        summary = RunSummary(
            endDate: reports.map(\.run.endDate).max() ?? Timestamp(microseconds: 0)
        )
        for index in reports.indices { try read(index) }
        for winner in winners.values { add(winner) }
    }

    /// Notes the tasks of a report that win over those of the reports before it.
    private mutating func read(_ index: Int) throws {
        let report = reports[index]
        try report.forEachTask { task in
            let winner = Winner(
                report: index,
                endDate: task.endDate,
                outcome: task.outcome,
                verdict: task.verdict(in: report)
            )
            let id = ByteText(task.id)
            if let earlier = winners[id] {
                try shards.requireSameShard(index, earlier.report, of: task.id)
                supersededCount += 1
                if earlier.endDate > winner.endDate { return }
            }
            winners[id] = winner
        }
        summary.attempts.addSaturated(report.run.attempts)
        summary.redirects.addSaturated(report.run.redirects)
        summary.cacheHits.addSaturated(report.run.cacheHits)
        summary.countOfBytesSent.addSaturated(report.run.countOfBytesSent)
        summary.countOfBytesReceived.addSaturated(report.run.countOfBytesReceived)
    }

    private mutating func add(_ winner: Winner) {
        summary.tasks += 1
        switch winner.outcome {
        case .succeeded: summary.succeeded += 1
        case .unchanged: summary.unchanged += 1
        case .failed: summary.failed += 1
        case .deferred: summary.deferred += 1
        case .cancelled: summary.cancelled += 1
        case .skipped: summary.skipped += 1
        }
        guard winner.verdict != .success else { return }
        summary.exitCode = summary.exitCode.combined(with: winner.verdict)
    }

    /// Writes the report and publishes it.
    ///
    /// - Throws: `ReportFault` for a task that cannot be read, and the errors of `file`.
    package func write(to file: any ReportFile) throws {
        guard let latest = order.last.map({ reports[$0] }) else { return }
        var writer = ReportWriter()
        writer.json.beginObject()
        writer.json.member("formatVersion", ReportSchema.formatVersion)
        writer.json.member("detail", detail.rawValue)
        writer.json.key("job")
        writer.json.value(latest.frame["job"] ?? .null)
        writer.json.key("tasks")
        writer.json.beginArray()
        var left = winners
        var number: Int64 = 0
        for index in order {
            try reports[index].forEachTask { task in
                let id = ByteText(task.id)
                guard left[id]?.report == index, let json = task.json else { return }
                left[id] = nil
                writer.json.newline()
                number += 1
                Self.write(json, number: number, to: &writer)
                if writer.json.count >= Self.bufferSize { try Self.drain(&writer, to: file) }
            }
        }
        writer.json.newline()
        writer.json.endArray()
        writer.json.key("run")
        writeRun(like: latest, to: &writer)
        writer.json.key("summary")
        writer.object(RunSummary.Report.self, summary)
        writer.json.endObject()
        writer.json.newline()
        try Self.drain(&writer, to: file)
        try file.publish()
    }

    /// Writes a task with its number in the merged report: each run has its own numbers.
    private static func write(_ task: JSONValue, number: Int64, to writer: inout ReportWriter) {
        writer.json.beginObject()
        for member in task.members {
            writer.json.key(member.name)
            if member.name == "taskIdentifier" {
                writer.json.integer(number)
            } else {
                writer.json.value(member.value)
            }
        }
        writer.json.endObject()
    }

    private static func drain(
        _ writer: inout ReportWriter,
        to file: any ReportFile
    ) throws(SystemError) {
        try writer.json.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    }

    /// Writes the run of the latest report with the dates, the hosts and the ids of all.
    private func writeRun(like latest: ReportReader, to writer: inout ReportWriter) {
        let heads = order.map { reports[$0].run.head }
        var hosts: [String] = []
        for head in heads where !hosts.contains(head.host) { hosts.append(head.host) }
        let merge = FinishedRun.Merge(runs: order.flatMap { reports[$0].runs }, supersededCount)
        writer.json.beginObject()
        for member in (latest.frame["run"] ?? .null).members where member.name != "merge" {
            writer.json.key(member.name)
            switch member.name {
            case "id":
                writer.json.string("\(latest.run.head.runIdentifier)+\(merge.runs.count - 1)")
            case "startDate":
                writer.date(heads.first?.startDate ?? summary.endDate)
            case "endDate":
                writer.date(summary.endDate)
            case "host":
                writer.json.string(hosts.joined(separator: ", "))
            case "shard":
                writer.json.null()
            case "selection" where reports.contains { $0.selection == nil }:
                writer.json.null()
            default:
                writer.json.value(member.value)
            }
        }
        writer.json.key("merge")
        writer.object(FinishedRun.Merge.Report.self, merge)
        writer.json.endObject()
    }
}

/// Why reports cannot be one.
package struct ReportMergeFault: Error, Hashable {
    /// The position of the report that does not fit among the arguments; nil when none is
    /// wrong by itself.
    package var index: Int?
    /// The fault as a clause about that report, or about all of them.
    package var message: String
}

extension ReportedTask {
    /// The exit code that the end of the task asks for in a run of its own.
    fileprivate func verdict(in report: ReportReader) -> ExitCode {
        guard isRequired else { return .success }
        let ofRun = ExitCode(rawValue: Int32(truncatingIfNeeded: report.run.exitCode))
        switch outcome {
        case .succeeded, .unchanged: return .success
        case .deferred: return .deferred
        case .cancelled:
            // A signal or the deadline; otherwise another task failed, which may be mended.
            return switch ofRun {
            case .interrupted?, .terminated?, .deadline?: ofRun ?? .temporary
            default: .temporary
            }
        case .skipped:
            if isRefused { return .success }
            // The run could not begin, or a needed task did not succeed: the needed task has its
            // own code.
            return report.frame["run"]?["engine"]?.isNull == true ? ofRun ?? .temporary : .temporary
        case .failed: return failureVerdict
        }
    }

    private var failureVerdict: ExitCode {
        guard let failure, let kind = TransferFailure.Kind(rawValue: failure.kind) else {
            return .taskFailed
        }
        switch kind {
        case .integrity, .signature: return .integrity
        case .localIO where failure.osErrno.map { SystemError.isEnvironment($0) } ?? false:
            return .environment
        case .network, .power: return .deferred
        default: return failure.isRetryable ? .temporary : .taskFailed
        }
    }
}

extension SystemError {
    fileprivate static func isEnvironment(_ errno: Int) -> Bool {
        isEnvironment(Int32(truncatingIfNeeded: errno))
    }
}
