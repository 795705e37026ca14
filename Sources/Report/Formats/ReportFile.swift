package import SystemKit
package import TransferModel

/// The destination of a report's text, written from front to back.
package protocol ReportFile: AnyObject {
    /// Appends all of `bytes`.
    func write(_ bytes: Span<UInt8>) throws(SystemError)
    /// Makes the text durable and publishes it atomically under its name; nothing may be written
    /// afterwards.
    func publish() throws(SystemError)
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
    static func open(
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
