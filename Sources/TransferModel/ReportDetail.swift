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
