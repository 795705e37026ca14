internal import JSON
package import TransferModel

/// The job and the run of a report, as exports show them.
package struct ReportedHead: Sendable, Hashable {
    /// The job's name.
    package var jobName: String
    /// The job file as named on the command line.
    package var jobFile: String
    /// The unique identifier of the run.
    package var runIdentifier: String
    /// The beginning of the run.
    package var startDate: Timestamp
    /// The machine's name.
    package var host: String
    /// The version of the runner that made the run.
    package var runnerVersion: String
    /// The version of libcurl; nil for a run that could not begin.
    package var libcurlVersion: String?
    /// The TLS library with its version; nil without one.
    package var tlsVersion: String?
    /// The number of tasks that the report has.
    package var taskCount: Int

    /// The head of a run that begins.
    init(_ header: RedactedHeader) {
        jobName = header.jobName
        jobFile = header.jobFile
        runIdentifier = header.runIdentifier
        startDate = header.startDate
        host = header.host
        runnerVersion = header.runnerVersion
        libcurlVersion = header.libcurlVersion
        tlsVersion = header.tlsVersion
        taskCount = header.taskCount
    }

    /// The head of a written report.
    init(job: JSONValue, run: JSONValue, taskCount: Int) throws(ReportFault) {
        jobName = try job.text("name")
        jobFile = try job.text("file")
        runIdentifier = try run.text("id")
        startDate = try run.date("startDate")
        host = try run.text("host")
        runnerVersion = try run.text("runnerVersion")
        libcurlVersion = run["engine"]?["libcurl"]?.string
        tlsVersion = run["engine"]?["tls"]?.string
        self.taskCount = taskCount
    }
}

/// A run that has ended, with the sums of its tasks.
package struct ReportedRun: Sendable, Hashable {
    /// The job and the beginning of the run.
    package var head: ReportedHead
    /// The end of the run.
    package var endDate: Timestamp
    /// The number of tasks with each outcome.
    package var outcomes: [TaskOutcome: Int]
    /// The number of all tries.
    package var attempts: Int
    /// The number of followed redirects.
    package var redirects: Int
    /// The number of responses that came from the cache.
    package var cacheHits: Int
    /// Body bytes sent.
    package var countOfBytesSent: Int64
    /// Body bytes received.
    package var countOfBytesReceived: Int64
    /// The exit code of the process.
    package var exitCode: Int

    /// The length of the run, microseconds.
    package var durationMicroseconds: Int64 {
        max(0, endDate.microseconds(since: head.startDate))
    }

    /// The numbers of the run in one line: tasks by outcome, attempts, redirects and bytes.
    var sums: String {
        let outcomes = TaskOutcome.allCases.compactMap { outcome -> String? in
            guard let count = self.outcomes[outcome], count > 0 else { return nil }
            return "\(count) \(outcome.rawValue)"
        }
        let total = "\(head.taskCount) \(head.taskCount == 1 ? "task" : "tasks")"
        var parts = [outcomes.isEmpty ? total : "\(total): \(outcomes.joined(separator: ", "))"]
        parts.append("\(attempts) \(attempts == 1 ? "attempt" : "attempts")")
        if redirects > 0 { parts.append("\(redirects) redirects") }
        if cacheHits > 0 { parts.append("\(cacheHits) from the cache") }
        parts.append("\(Quantity.bytes(countOfBytesReceived)) received")
        if countOfBytesSent > 0 { parts.append("\(Quantity.bytes(countOfBytesSent)) sent") }
        return parts.joined(separator: "; ")
    }

    /// The end of a run.
    init(_ run: RedactedRun) { self.init(ReportedHead(run.header), run.summary) }

    /// The end of a run that began with `head`.
    init(_ head: ReportedHead, _ summary: RunSummary) {
        self.head = head
        endDate = summary.endDate
        outcomes = [
            .succeeded: summary.succeeded, .failed: summary.failed, .deferred: summary.deferred,
            .cancelled: summary.cancelled, .skipped: summary.skipped,
            .unchanged: summary.unchanged,
        ]
        attempts = summary.attempts
        redirects = summary.redirects
        cacheHits = summary.cacheHits
        countOfBytesSent = summary.countOfBytesSent
        countOfBytesReceived = summary.countOfBytesReceived
        exitCode = Int(summary.exitCode.rawValue)
    }

    /// The run of a written report.
    init(job: JSONValue, run: JSONValue, summary: JSONValue) throws(ReportFault) {
        head = try ReportedHead(job: job, run: run, taskCount: Int(summary.number("tasks")))
        endDate = try run.date("endDate")
        outcomes = [:]
        for outcome in TaskOutcome.allCases {
            outcomes[outcome] = Int(try summary.number(outcome.rawValue))
        }
        attempts = Int(try summary.number("attempts"))
        redirects = Int(try summary.number("redirects"))
        cacheHits = Int(try summary.number("cacheHits"))
        countOfBytesSent = try summary.number("countOfBytesSent")
        countOfBytesReceived = try summary.number("countOfBytesReceived")
        exitCode = Int(try summary.number("exitCode"))
    }
}

/// Why a file is no report that this program can read.
package struct ReportFault: Error, Hashable {
    /// The fault, without a final full stop.
    package var message: String
}

extension JSONValue {
    /// The text of a member that every report has.
    func text(_ name: String) throws(ReportFault) -> String {
        guard let text = self[name]?.string else { throw .missing(name, "text") }
        return text
    }

    /// The count of a member that every report has; never negative.
    func number(_ name: String) throws(ReportFault) -> Int64 {
        guard let number = self[name]?.integer, number >= 0 else {
            throw .missing(name, "number from 0 on")
        }
        return number
    }

    /// The date of a member that every report has.
    func date(_ name: String) throws(ReportFault) -> Timestamp {
        guard let date = optionalDate(name) else { throw .missing(name, "date") }
        return date
    }

    /// The date of a member; nil for null.
    func optionalDate(_ name: String) -> Timestamp? {
        self[name]?.string.flatMap(Timestamp.init(rfc3339:))
    }

    /// The object of a member that every report has.
    func object(_ name: String) throws(ReportFault) -> JSONValue {
        guard let value = self[name], case .object = value else { throw .missing(name, "object") }
        return value
    }
}

extension ReportFault {
    fileprivate static func missing(_ name: String, _ type: String) -> ReportFault {
        ReportFault(message: "it has no \(type) `\(name)` where a report of runner has one")
    }
}
