/// A format of report, by its key in the job file's `report`.
///
/// The table of keys, the reports of a run and the check of destinations all go over `allCases`.
package enum ReportKind: String, Sendable, CaseIterable {
    case json

    /// Keys that are reserved for formats that are not built yet.
    package static let planned = ["har", "junit", "prometheus", "html", "events"]

    /// One sentence for the job file's schema.
    package var summary: String {
        switch self {
        case .json: "The JSON report's file, relative to the job file's folder."
        }
    }
}
