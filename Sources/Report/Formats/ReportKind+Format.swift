package import TransferModel

extension ReportKind {
    /// Makes the writer of one report in this format.
    package func makeFormat() -> any ReportFormat {
        switch self {
        case .json: JSONReport()
        }
    }
}
