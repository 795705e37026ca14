package import TransferModel

extension ReportKind {
    /// The export of that kind; nil for the report itself.
    private var export: (any ReportExport)? {
        switch self {
        case .json: nil
        case .har: HARExport()
        case .junit: JUnitExport()
        case .prometheus: PrometheusExport()
        case .html: HTMLExport()
        }
    }

    /// Makes the writer of one report in this format.
    package func makeFormat() -> any ReportFormat {
        export.map(ExportFormat.init) ?? JSONReport()
    }

    /// Makes this document of a written report and publishes it.
    ///
    /// - Parameters:
    ///   - report: The report, read from front to back.
    ///   - file: Gets the text in pieces.
    /// - Throws: `ReportFault` for a file that is no report; what `file` throws.
    package func export(_ report: ReportReader, to file: any ReportFile) throws {
        guard var export else { return }
        export.open(report.run.head)
        try report.forEachTask { task in
            try export.receive(task)
            try file.write(export.text.span)
            export.text.removeAll(keepingCapacity: true)
        }
        export.finish(report.run)
        try file.write(export.text.span)
        try file.publish()
    }
}
