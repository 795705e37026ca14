internal import TransferModel

/// A run that has ended.
struct FinishedRun {
    var header: RunHeader
    var summary: RunSummary

    static let report = ReportObject<FinishedRun>(
        "run",
        "One run of the job",
        [
            .string("id", "Unique for every run") { $0.header.runIdentifier },
            .date("startDate", "The run's beginning") { $0.header.startDate },
            .date("endDate", "The run's end") { $0.summary.endDate },
            .string("runnerVersion", "The version of the runner") { $0.header.runnerVersion },
            .string("host", "The machine's name") { $0.header.host },
            .unmeasured("shard", "Which part of the job this run was; null for all", .string),
            .object("engine", "What the run transferred with", RunHeader.Engine.report) {
                $0.header.engine
            },
            .object("clock", "How dates were made", RunHeader.Clock.report) {
                $0.header.clock
            },
        ]
    )
}

extension RunHeader {
    static let jobReport = ReportObject<RunHeader>(
        "job",
        "The job file that was run",
        [
            .string("name", "The job's name") { $0.jobName },
            .string("file", "The file as it was named") { $0.jobFile },
            .string("sha256", "The SHA-256 of its bytes", .sha256) { $0.jobSHA256 },
        ]
    )
}

extension RunHeader.Engine {
    static let report = ReportObject<Self>(
        "engine",
        "What a run transferred with",
        [
            .string("libcurl", "The version of libcurl") { $0.libcurl },
            .optionalString("tls", "The TLS library; null without one") { $0.tls },
            .bool("http2", "Whether libcurl speaks HTTP/2") { $0.http2 },
            .bool("http3", "Whether libcurl speaks HTTP/3") { $0.http3 },
        ]
    )
}

extension RunHeader.Clock {
    static let report = ReportObject<Self>(
        "clock",
        "Every date is the wall clock at the run's start plus monotonic time",
        [
            .date("wall0", "The wall clock at the run's start") { $0.wall },
            .integer("mono0Us", "The monotonic reading that belongs to it, microseconds") {
                $0.monotonicMicroseconds
            },
            .integer("maxSkewUs", "How far the two may lie apart, microseconds") {
                $0.maximumSkewMicroseconds
            },
        ]
    )
}

extension RunSummary {
    static let report = ReportObject<RunSummary>(
        "summary",
        "The sums over the tasks",
        [
            .integer("tasks", "All of them") { Int64($0.tasks) },
            .integer("succeeded", "Tasks that succeeded") { Int64($0.succeeded) },
            .integer("failed", "Tasks that failed for good") { Int64($0.failed) },
            .integer("deferred", "Tasks that could not start") { Int64($0.deferred) },
            .integer("cancelled", "Tasks that were cancelled") { Int64($0.cancelled) },
            .integer("skipped", "Tasks that a failed one kept from running") {
                Int64($0.skipped)
            },
            .integer("unchanged", "Tasks that had nothing to do") { Int64($0.unchanged) },
            .integer("attempts", "All tries") { Int64($0.attempts) },
            .integer("redirects", "Redirects that were followed") { Int64($0.redirects) },
            .integer("cacheHits", "Responses that came from the cache") {
                Int64($0.cacheHits)
            },
            .integer("countOfBytesSent", "Body bytes sent") { $0.countOfBytesSent },
            .integer("countOfBytesReceived", "Body bytes received") {
                $0.countOfBytesReceived
            },
            .integer("exitCode", "The exit code of the process", .integer(0...255)) {
                Int64($0.exitCode.rawValue)
            },
        ]
    )
}
