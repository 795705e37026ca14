/// A format of report, by its key in the job file's `report`.
///
/// `allCases` is the source for the table of keys, a run's reports and the check of destinations.
package enum ReportKind: String, Sendable, CaseIterable {
    case json
    case har
    case junit
    case prometheus
    case html
    case otlp
    case events

    /// The permissions of its file before the umask: only metrics are for other users, such as that
    /// of the node exporter.
    package var fileMode: UInt32 { self == .prometheus ? 0o644 : 0o600 }

    /// One sentence for the job file's schema.
    package var summary: String {
        switch self {
        case .json: "The file of the JSON report, relative to the job file's folder."
        case .har: "The file of an HTTP Archive (HAR 1.2) with each request of the run."
        case .junit: "The file of JUnit XML with one test case for each task."
        case .html: "The file of an HTML page with the tasks of the run, for a browser."
        case .otlp: "The file of an OpenTelemetry trace of the run, in OTLP's JSON."
        case .events:
            "The file of the run's events, written while it runs: lines of JSON, named after "
                + "URLSession's delegate callbacks."
        case .prometheus: "The file of metrics for Prometheus' textfile collector."
        }
    }
}

/// How much of each task the JSON report of a run keeps.
package enum ReportDetail: String, Sendable, CaseIterable {
    /// The record of every task.
    case full
    /// The record of each task that did not succeed or had several attempts; one short line of each
    /// other task.
    case failures
    /// The record of each task that did not succeed; nothing about other tasks but the sums.
    case summary

    /// Whether a report with this detail has everything of a report with `other`.
    package func includes(_ other: ReportDetail) -> Bool { rank <= other.rank }

    /// The less detailed one of two.
    package func reduced(to other: ReportDetail) -> ReportDetail {
        includes(other) ? other : self
    }

    private var rank: Int {
        switch self {
        case .full: 0
        case .failures: 1
        case .summary: 2
        }
    }
}
