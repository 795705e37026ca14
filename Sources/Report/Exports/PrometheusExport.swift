internal import SystemKit
internal import TransferModel

/// Writes the run in Prometheus' text format, for the node exporter's textfile collector
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// All metrics are gauges of the job's last run, because each run replaces the file. Their labels
/// are the job's name, the outcomes and the task's id. A job with more than `mostTasks` tasks has
/// no metrics of single tasks: rows of data would make a time series each. Neither has a written
/// report that lists only some of its tasks.
struct PrometheusExport: ReportExport {
    /// The most tasks that have metrics of their own.
    static let mostTasks = 500

    var text: [UInt8] = []
    /// The tasks so far; empty once there are too many.
    private var tasks: [Task] = []
    private var count = 0
    private let showsTasks: Bool

    /// Metrics of the run and, if the caller has all of its tasks, of each task.
    init(showsTasks: Bool = true) { self.showsTasks = showsTasks }

    private struct Task {
        var id: String
        var isSuccess: Bool
        var duration: Int64
        var attempts: Int
        var sent: Int64
        var received: Int64
    }

    mutating func open(_ head: ReportedHead) {}

    mutating func receive(_ task: ReportedTask) {
        count += 1
        guard showsTasks, count <= Self.mostTasks else {
            tasks = []
            return
        }
        guard !task.isRefused else { return }
        tasks.append(
            Task(
                id: task.id,
                isSuccess: task.outcome == .succeeded || task.outcome == .unchanged,
                duration: task.durationMicroseconds,
                attempts: task.attemptCount,
                sent: task.countOfBytesSent,
                received: task.countOfBytesReceived
            )
        )
    }

    mutating func finish(_ run: ReportedRun) {
        let job = "job=\"\(Self.escaped(run.head.jobName))\""
        let start = Decimal.seconds(run.head.startDate.microseconds)
        let end = Decimal.seconds(run.endDate.microseconds)
        gauge("start_timestamp_seconds", "When the run began.", [(job, start)])
        gauge("end_timestamp_seconds", "When the run ended.", [(job, end)])
        gauge("exit_code", "The exit code of the run.", [(job, "\(run.exitCode)")])
        let outcomes = TaskOutcome.allCases.map { outcome in
            ("\(job),outcome=\"\(outcome.rawValue)\"", "\(run.outcomes[outcome] ?? 0)")
        }
        gauge("tasks", "Tasks by outcome.", outcomes)
        gauge("attempts", "Attempts of all tasks.", [(job, "\(run.attempts)")])
        gauge("redirects", "Followed redirects.", [(job, "\(run.redirects)")])
        gauge("cache_hits", "Responses from the cache.", [(job, "\(run.cacheHits)")])
        gauge("sent_bytes", "Body bytes sent.", [(job, "\(run.countOfBytesSent)")])
        gauge("received_bytes", "Body bytes received.", [(job, "\(run.countOfBytesReceived)")])
        each("task_success", "Whether the task succeeded.", job) { $0.isSuccess ? "1" : "0" }
        each("task_duration_seconds", "The task's time from creation to end.", job) {
            Decimal.seconds($0.duration)
        }
        each("task_attempts", "Attempts of the task.", job) { "\($0.attempts)" }
        each("task_sent_bytes", "Body bytes that the task sent.", job) { "\($0.sent)" }
        each("task_received_bytes", "Body bytes that the task received.", job) {
            "\($0.received)"
        }
    }

    private mutating func each(
        _ name: String,
        _ help: String,
        _ job: String,
        value: (Task) -> String
    ) {
        guard !tasks.isEmpty else { return }
        gauge(name, help, tasks.map { ("\(job),task=\"\(Self.escaped($0.id))\"", value($0)) })
    }

    private mutating func gauge(
        _ name: String,
        _ help: String,
        _ series: [(labels: String, value: String)]
    ) {
        let name = "runner_last_run_\(name)"
        write("# HELP \(name) \(help)\n# TYPE \(name) gauge\n")
        for (labels, value) in series { write("\(name){\(labels)} \(value)\n") }
    }

    private static func escaped(_ label: String) -> String {
        label.replacingBytes("\\", with: "\\\\").replacingBytes("\"", with: "\\\"")
            .replacingBytes("\n", with: "\\n")
    }

    private mutating func write(_ text: String) { self.text += text.utf8 }
}
