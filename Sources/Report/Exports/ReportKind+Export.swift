package import SystemKit
package import TransferModel

extension ReportKind {
    /// The export of that kind from tasks with that detail; nil for the report itself.
    private func export(
        of detail: ReportDetail,
        forGitLab paths: RepositoryPaths?
    ) -> (any ReportExport)? {
        switch self {
        case .json, .events: nil
        case .har: HARExport()
        case .junit: JUnitExport(paths)
        // A summary lacks the tasks that succeeded.
        case .prometheus: PrometheusExport(showsTasks: detail != .summary)
        case .html: HTMLExport()
        case .otlp: OTLPExport()
        }
    }

    /// The detail that a written report needs for this document.
    package var neededDetail: ReportDetail {
        switch self {
        case .json, .prometheus: .summary
        case .junit: .failures
        case .har, .html, .otlp, .events: .full
        }
    }

    /// Makes the writer of one report in this format; `detail` applies to the JSON report, `paths`
    /// to JUnit.
    package func makeFormat(
        detail: ReportDetail = .full,
        forGitLab paths: RepositoryPaths? = nil
    ) -> any ReportFormat {
        if self == .events { return CallbackReport() }
        return export(of: .full, forGitLab: paths).map(ExportFormat.init)
            ?? JSONReport(detail: detail)
    }

    /// Opens the file of a report of this kind.
    package func open(at path: String) throws(SystemError) -> any ReportFile {
        if self == .events { return try LiveReport(path: path) }
        return try PublishedReport(path: path, kind: self)
    }

    /// Makes this document of a written report and publishes it.
    ///
    /// - Parameters:
    ///   - report: The report, read from front to back.
    ///   - file: Gets the text in pieces.
    ///   - paths: The paths of files in JUnit for GitLab; nil for what every service reads.
    /// - Throws: `ReportFault` for a file that is no report, `ReportDetail.Lack` for one with too
    ///   little of its tasks; the errors of `file`.
    package func export(
        _ report: ReportReader,
        to file: any ReportFile,
        forGitLab paths: RepositoryPaths? = nil
    ) throws {
        guard var export = export(of: report.detail, forGitLab: paths) else { return }
        try report.require(neededDetail)
        try export.prepare(report)
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
