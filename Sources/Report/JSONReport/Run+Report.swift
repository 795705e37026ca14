internal import JSON
internal import TransferModel

/// A run that has ended.
struct FinishedRun {
    var header: RunHeader
    var summary: RunSummary
    /// The sources of a merged report; nil for the report of one run.
    var merge: Merge?

    /// The reports of which a report was made.
    struct Merge {
        /// The ids of their runs, by their beginnings.
        var runs: [String]
        /// The number of tasks that a later attempt replaced.
        var supersededCount: Int

        init(runs: [String], _ supersededCount: Int) {
            (self.runs, self.supersededCount) = (runs, supersededCount)
        }

        enum Report: ReportObject {
            typealias Subject = Merge
            static let name = "merge"
            static let description = "The reports of which a report was made"

            static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
                members.member(
                    "runs",
                    "The identifiers of their runs, by their beginnings",
                    .array(.string)
                ) { merge, writer in
                    writer.json.beginArray()
                    for run in merge.runs { writer.text(run) }
                    writer.json.endArray()
                }
                members.integer(
                    "supersededTasks",
                    "Tasks that a later one with the same id replaced; the sums include their work"
                ) { Int64($0.supersededCount) }
            }
        }
    }

    enum Report: ReportObject {
        typealias Subject = FinishedRun
        static let name = "run"
        static let description = "One run of the job"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("id", "The identifier of the run, unique for every run") {
                $0.header.runIdentifier
            }
            members.date("startDate", "The run's beginning") { $0.header.startDate }
            members.date("endDate", "The run's end") { $0.summary.endDate }
            members.integer(
                "startJitterUs",
                "The wait before the run sends anything, microseconds: a random part of startJitter"
            ) { $0.header.startJitterMicroseconds }
            members.string("runnerVersion", "The version of the runner") { $0.header.runnerVersion }
            members.string("host", "The machine's name") { $0.header.host }
            members.optionalString(
                "shard",
                "The part of the job that this run did; null for the whole job"
            ) { $0.header.shard?.text }
            members.optionalChoice(
                "selection",
                "The option that chose some tasks of the job or of its shard; null for all of them"
            ) { $0.header.selection }
            members.optionalObject(
                "engine",
                "The libcurl of the run; null when the run could not begin",
                RunHeader.Engine.Report.self
            ) {
                $0.header.engine
            }
            members.object("clock", "How the dates were made", RunHeader.Clock.Report.self) {
                $0.header.clock
            }
            members.optionalObject(
                "merge",
                "The reports of which `runner report merge` made this one; null for one run",
                Merge.Report.self
            ) { $0.merge }
        }
    }
}

extension RunHeader {
    enum JobReport: ReportObject {
        typealias Subject = RunHeader
        static let name = "job"
        static let description = "The job file of the run"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("name", "The job's name") { $0.jobName }
            members.string("file", "The path of the file as it was given") { $0.jobFile }
            members.optionalOwnText(
                "sha256",
                "The SHA-256 of the file, and of a line feed and the text of each included file",
                .sha256
            ) { $0.jobSHA256 }
            members.optionalDate(
                "keyRoundBeginDate",
                "The beginning of the run's round of idempotency keys; null when the run makes none"
            ) { $0.keyRoundBeginDate }
        }
    }
}

extension RunHeader.Engine {
    enum Report: ReportObject {
        typealias Subject = RunHeader.Engine
        static let name = "engine"
        static let description = "The libcurl of a run, with its features"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("libcurl", "The version of libcurl") { $0.libcurl }
            members.optionalString("tls", "The TLS library; null without one") { $0.tls }
            members.bool("http2", "Whether libcurl speaks HTTP/2") { $0.http2 }
            members.bool("http3", "Whether libcurl speaks HTTP/3") { $0.http3 }
        }
    }
}

extension RunHeader.Clock {
    enum Report: ReportObject {
        typealias Subject = RunHeader.Clock
        static let name = "clock"
        static let description =
            "Every date is the wall clock at the run's start plus monotonic time"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.date("wall0", "The wall clock at the run's start") { $0.wall }
            members.integer("mono0Us", "The monotonic clock at the run's start, microseconds") {
                $0.monotonicMicroseconds
            }
            members.integer(
                "maxSkewUs",
                "The largest difference between the two readings, microseconds"
            ) {
                $0.maximumSkewMicroseconds
            }
        }
    }
}

extension RunSummary {
    enum Report: ReportObject {
        typealias Subject = RunSummary
        static let name = "summary"
        static let description = "The sums over the tasks"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("tasks", "All tasks") { Int64($0.tasks) }
            members.integer("succeeded", "Tasks that succeeded") { Int64($0.succeeded) }
            members.integer("failed", "Tasks that failed for good") { Int64($0.failed) }
            members.integer("deferred", "Tasks that could not start") { Int64($0.deferred) }
            members.integer("cancelled", "Tasks that were cancelled") { Int64($0.cancelled) }
            members.integer("skipped", "Tasks kept from running by another task or `when`") {
                Int64($0.skipped)
            }
            members.integer("unchanged", "Tasks that had nothing to do") { Int64($0.unchanged) }
            members.integer("attempts", "All tries") { Int64($0.attempts) }
            members.integer("redirects", "Redirects that were followed") { Int64($0.redirects) }
            members.integer("cacheHits", "Responses that came from the cache") {
                Int64($0.cacheHits)
            }
            members.integer("countOfBytesSent", "Body bytes sent") { $0.countOfBytesSent }
            members.integer("countOfBytesReceived", "Body bytes received") {
                $0.countOfBytesReceived
            }
            members.integer("exitCode", "The exit code of the process", .integer(0...255)) {
                Int64($0.exitCode.rawValue)
            }
        }
    }
}
