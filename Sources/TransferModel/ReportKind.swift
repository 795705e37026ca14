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
