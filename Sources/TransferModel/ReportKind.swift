/// A format of report, by its key in the job file's `report`.
///
/// `allCases` is the source for the table of keys, a run's reports and the check of destinations.
package enum ReportKind: String, Sendable, CaseIterable {
    case json

    /// Reserved keys for planned formats.
    package static let planned = ["har", "junit", "prometheus", "html", "events"]

    /// One sentence for the job file's schema.
    package var summary: String {
        switch self {
        case .json: "The file of the JSON report, relative to the job file's folder."
        }
    }
}
