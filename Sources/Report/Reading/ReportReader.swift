internal import JSON

/// Reads a written JSON report task by task.
///
/// A report as the runner wrote it has one task in each line, so that a large one needs no more
/// memory than its largest task and its last line. A report that another program has formatted is
/// read as a whole.
package struct ReportReader {
    /// The run, from the end of the report.
    package let run: ReportedRun
    private let bytes: [UInt8]
    /// The lines of the tasks; nil for a report that is read as a whole.
    private let lines: [Range<Int>]?
    private let tasks: [JSONValue]

    /// Finds the parts of a report.
    ///
    /// - Parameter bytes: The content of the report's file.
    /// - Throws: `ReportFault` for anything but a finished report of a known version.
    package init(_ bytes: [UInt8]) throws(ReportFault) {
        self.bytes = bytes
        if let parts = try Self.parts(of: bytes) {
            (lines, tasks) = (parts.tasks, [])
            run = try ReportedRun(
                job: parts.front.object("job"),
                run: parts.back.object("run"),
                summary: parts.back.object("summary")
            )
            return
        }
        let document = try Self.parse(bytes)
        try Self.requireVersion(of: document)
        lines = nil
        tasks = document["tasks"]?.elements ?? []
        run = try ReportedRun(
            job: document.object("job"),
            run: document.object("run"),
            summary: document.object("summary")
        )
    }

    /// Calls `body` for each task, in the order of their ends.
    ///
    /// - Throws: `ReportFault` for a task that cannot be read; what `body` throws.
    package func forEachTask(_ body: (ReportedTask) throws -> Void) throws {
        for task in tasks { try body(ReportedTask(task)) }
        for line in lines ?? [] {
            try body(ReportedTask(Self.parse(Array(bytes[line]))))
        }
    }

    /// The lines of a report as the runner writes it; nil for any other layout.
    private static func parts(
        of bytes: [UInt8]
    ) throws(ReportFault) -> (front: JSONValue, tasks: [Range<Int>], back: JSONValue)? {
        var lines: [Range<Int>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            lines.append(start..<index)
            start = index + 1
        }
        guard start == bytes.count, lines.count > 1, let first = lines.first,
            let last = lines.last, bytes[..<first.upperBound].last == UInt8(ascii: "["),
            bytes[last].first == UInt8(ascii: "]"),
            let front = try? JSONValue(bytes: bytes[first] + Array("]}".utf8)),
            let back = try? JSONValue(bytes: Array("{\"tasks\":[".utf8) + bytes[last])
        else { return nil }
        try requireVersion(of: front)
        let tasks = lines.dropFirst().dropLast().map { line in
            bytes[line].first == UInt8(ascii: ",") ? line.dropFirst() : line
        }
        return (front, tasks, back)
    }

    private static func parse(_ bytes: [UInt8]) throws(ReportFault) -> JSONValue {
        do {
            return try JSONValue(bytes: bytes)
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
}
