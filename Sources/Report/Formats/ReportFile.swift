package import SystemKit
package import TransferModel

/// The destination of a report's text, written from front to back.
package protocol ReportFile: AnyObject {
    /// Appends all of `bytes`.
    func write(_ bytes: Span<UInt8>) throws(SystemError)
    /// Replaces the first bytes of the text, if the file can go back; another file keeps them.
    func rewriteFront(_ bytes: Span<UInt8>) throws(SystemError)
    /// Makes the text durable and publishes it atomically under its name; nothing may be written
    /// afterwards.
    func publish() throws(SystemError)
}

extension ReportFile {
    /// Keeps the first bytes.
    package func rewriteFront(_ bytes: Span<UInt8>) throws(SystemError) {}
}

/// A report on disk: unnamed until it is complete, and private unless it replaces a file.
///
/// A report whose path ends in `.gz` is compressed as it is written.
package final class PublishedReport: ReportFile {
    private let folder: Folder
    private let file: OutputFile
    /// Nil for a report that is not compressed.
    private let compressor: GzipCompressor?

    /// Opens the file that will become `path`, with the permissions of a report of that kind or
    /// of the file that it replaces, and creates missing folders.
    package init(path: String, kind: ReportKind = .json) throws(SystemError) {
        compressor = try Self.compressor(for: path)
        (folder, file) = try Self.open(path, mode: kind.fileMode)
    }

    /// Opens the unnamed file for a path, in folders that are made if they are missing.
    package static func open(
        _ path: String,
        mode: UInt32
    ) throws(SystemError) -> (folder: Folder, file: OutputFile) {
        let (parent, rest) = path.cut(atLast: "/") ?? (".", path[...])
        let (folderPath, name) = (parent.isEmpty ? "/" : String(parent), String(rest))
        let folder = try Folder(path: folderPath, create: true, isDurable: true)
        try folder.requireReplaceable(name)
        return (folder, try OutputFile(in: folder, name: name, mode: mode))
    }

    /// Appends all of `bytes` to the unnamed file.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try write(bytes, isLast: false)
    }

    private func write(_ bytes: Span<UInt8>, isLast: Bool) throws(SystemError) {
        guard let compressor else { return try file.write(bytes) }
        try compressor.compress(bytes, isLast: isLast) { (part) throws(SystemError) in
            try file.write(part)
        }
    }

    /// Replaces the first bytes, unless they are compressed.
    package func rewriteFront(_ bytes: Span<UInt8>) throws(SystemError) {
        if compressor == nil { try file.write(bytes, at: 0) }
    }

    private static func compressor(for path: String) throws(SystemError) -> GzipCompressor? {
        guard path.hasByteSuffix(".gz") else { return nil }
        if let compressor = GzipCompressor() { return compressor }
        throw .missingLibrary(Gzip.library, needed: "compress", path)
    }

    /// Syncs the file, names it in place of an older report, and syncs its folder.
    package func publish() throws(SystemError) {
        if compressor != nil { try write([UInt8]().span, isLast: true) }
        try file.syncForPublishing(replacing: true)
        try file.publish(replacing: true)
        try folder.sync()
    }
}

/// A report on disk that others may read while it grows: it replaces an older one at once.
package final class LiveReport: ReportFile {
    private let folder: Folder
    private let file: OutputFile

    /// Replaces the file at `path` by an empty one, and creates missing folders.
    package init(path: String) throws(SystemError) {
        (folder, file) = try PublishedReport.open(path, mode: ReportKind.events.fileMode)
        try file.publish(replacing: true)
    }

    /// Appends all of `bytes`.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) { try file.write(bytes) }

    /// Syncs the file and its folder.
    package func publish() throws(SystemError) {
        try file.sync()
        try folder.sync()
    }
}

/// Writes one report in one format: `open` once, `receive` for each task that ends, `finish` once.
///
/// A format reads redacted values only and knows neither paths nor sinks. An error ends the report;
/// `Reports` then calls nothing more and the file disappears. Called on the scheduler's thread
/// only.
package protocol ReportFormat: AnyObject {
    /// Writes the part that precedes the tasks.
    func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError)
    /// Writes a task; a format may gather text and write it later.
    func receive(_ record: RedactedRecord, to file: any ReportFile) throws(SystemError)
    /// Writes the part that follows the tasks, and all text that is still gathered.
    func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError)
}

/// A format that writes events while their tasks run.
protocol LiveReportFormat: ReportFormat {
    /// Writes an event of the run; called for every event, besides the calls of `ReportFormat`.
    func note(_ event: RedactedEvent, to file: any ReportFile) throws(SystemError)
}
