internal import JSON
package import SystemKit
package import TransferModel

/// Reads a written JSON report task by task.
///
/// A report as the runner wrote it has one task in each line, so that a large one needs no more
/// memory than its largest task and its last line. A report that another program has formatted is
/// read as a whole. Either may be compressed by gzip.
package struct ReportReader {
    /// The run, from the end of the report.
    package let run: ReportedRun
    /// How much of each task the report has.
    package let detail: ReportDetail
    private let tasks: Tasks
    /// The members of the document except the tasks.
    let frame: JSONValue

    private enum Tasks {
        /// The lines between the first one and the last one.
        case lines(ReportText, count: Int)
        /// The tasks of a report that is read as a whole.
        case values([JSONValue])
    }

    /// Finds the parts of a report.
    ///
    /// - Parameter bytes: The content of the report's file.
    /// - Throws: `ReportFault` for anything but a finished report of a known version.
    package init(_ bytes: [UInt8]) throws { try self.init(ReportText(bytes)) }

    /// Finds the parts of a report, whose file is read anew for each pass over the tasks.
    ///
    /// - Throws: `ReportFault` as for bytes; `SystemError` for a file that cannot be read.
    package init(of file: InputFile) throws { try self.init(ReportText(of: file)) }

    private init(_ text: ReportText) throws {
        if let parts = try Self.parts(of: text) {
            tasks = .lines(text, count: parts.taskCount)
            frame = parts.frame
        } else {
            frame = try Self.parse(text.whole())
            try Self.requireVersion(of: frame)
            tasks = .values(frame["tasks"]?.elements ?? [])
        }
        detail = try Self.detail(of: frame)
        run = try ReportedRun(
            job: frame.object("job"),
            run: frame.object("run"),
            summary: frame.object("summary")
        )
    }

    /// Refuses a report that has less of its tasks than a reader needs.
    ///
    /// - Throws: `ReportDetail.Lack`.
    package func require(_ needed: ReportDetail) throws(ReportDetail.Lack) {
        guard detail.includes(needed) else {
            throw ReportDetail.Lack(actual: detail, needed: needed)
        }
    }

    /// Calls `body` for each task, in the order of their ends.
    ///
    /// - Throws: `ReportFault` for a task that cannot be read; the errors of `body`.
    package func forEachTask(_ body: (ReportedTask) throws -> Void) throws {
        let file = run.head.jobFile
        switch tasks {
        case .values(let values):
            for task in values { try body(ReportedTask.read(task, jobFile: file)) }
        case .lines(let text, let count):
            var index = 0
            _ = try text.forEachLine { line in
                defer { index += 1 }
                guard index > 0, index <= count else { return }
                let json = line.first == UInt8(ascii: ",") ? line.dropFirst() : line
                try body(ReportedTask.read(Self.parse(Array(json)), jobFile: file))
            }
        }
    }

    /// The parts of a report with the layout of the runner; nil for any other layout.
    private static func parts(of text: ReportText) throws -> (frame: JSONValue, taskCount: Int)? {
        var first: [UInt8] = []
        var last: [UInt8] = []
        var count = 0
        let isWhole = try text.forEachLine { line in
            if count == 0 { first = Array(line) }
            last.removeAll(keepingCapacity: true)
            last += line
            count += 1
        }
        guard isWhole, count > 1, first.last == UInt8(ascii: "["), last.first == UInt8(ascii: "]"),
            let front = try? JSONValue(bytes: first + Array("]}".utf8)),
            let frame = try? JSONValue(bytes: first + last)
        else { return nil }
        try requireVersion(of: front)
        return (frame, count - 2)
    }

    private static func parse(_ bytes: [UInt8]) throws(ReportFault) -> JSONValue {
        do {
            // The runner writes reports of any number of tasks.
            return try JSONValue(bytes: bytes, mostValues: .max)
        } catch {
            throw ReportFault(message: "it is no JSON: \(error)")
        }
    }

    private static func requireVersion(of document: JSONValue) throws(ReportFault) {
        let version = try document.number("formatVersion")
        guard version == ReportSchema.formatVersion else {
            throw ReportFault(
                message: "it has formatVersion \(version); this version reads "
                    + "\(ReportSchema.formatVersion)"
            )
        }
    }

    /// The detail; a report of an earlier version has none, because it is always full.
    private static func detail(of document: JSONValue) throws(ReportFault) -> ReportDetail {
        guard let name = document["detail"]?.string else { return .full }
        guard let detail = ReportDetail(rawValue: name) else {
            throw ReportFault(message: "it has a `detail` that this version lacks")
        }
        return detail
    }
}

extension ReportDetail {
    /// The fault of a report that has less of its tasks than its reader needs.
    package struct Lack: Error, Hashable {
        /// The detail of the report.
        package var actual: ReportDetail
        /// The least detail that the reader can use.
        package var needed: ReportDetail

        /// The fault as a clause about the report.
        package var message: String {
            let content = needed == .full ? "a record" : "a record or a line"
            return "has the detail `\(actual.rawValue)`, and this needs \(content) of every task; "
                + "run the job with `report: { detail: \(needed.rawValue) }`"
        }
    }
}
