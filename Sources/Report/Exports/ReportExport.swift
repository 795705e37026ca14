internal import SystemKit

/// Makes another document of a report: `open` once, `receive` for each task, `finish` once.
///
/// An export appends text to its buffer, which the caller drains between the calls. It reads the
/// same values whether a run is going on or a written report is read.
protocol ReportExport {
    /// The text that was not drained yet, UTF-8.
    var text: [UInt8] { get set }
    /// The text that replaces the beginning of the document after `finish`, as long as before; nil
    /// for a document whose beginning needs no sums of its tasks.
    var front: [UInt8]? { get }
    /// Adds up the tasks of a written report, before `open`.
    mutating func prepare(_ report: ReportReader) throws
    /// Writes the part that precedes the tasks.
    mutating func open(_ head: ReportedHead)
    /// Writes a task.
    mutating func receive(_ task: ReportedTask) throws(ReportFault)
    /// Writes the part that follows the tasks.
    mutating func finish(_ run: ReportedRun)
}

extension ReportExport {
    var front: [UInt8]? { nil }

    mutating func prepare(_ report: ReportReader) {}
}

/// Writes an export while its run goes on.
final class ExportFormat: ReportFormat {
    /// The size of the text that is gathered before a write, bytes.
    private static let bufferSize = 64 * 1024

    private var export: any ReportExport

    init(_ export: any ReportExport) { self.export = export }

    func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError) {
        export.open(ReportedHead(header))
    }

    func receive(_ record: RedactedRecord, to file: any ReportFile) throws(SystemError) {
        do {
            try export.receive(ReportedTask(record))
        } catch {
            throw SystemError(errno: 22, operation: "make a report", subject: error.message)
        }
        if export.text.count >= Self.bufferSize { try flush(to: file) }
    }

    func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError) {
        export.finish(ReportedRun(run))
        try flush(to: file)
        if let front = export.front { try file.rewriteFront(front.span) }
    }

    private func flush(to file: any ReportFile) throws(SystemError) {
        try file.write(export.text.span)
        export.text.removeAll(keepingCapacity: true)
    }
}
