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

/// A report on disk: unnamed until it is complete, and private.
package final class PublishedReport: ReportFile {
    private let folder: Folder
    private let file: OutputFile

    /// Opens the file that will become `path`, with the permissions of a report of that kind, and
    /// creates missing folders.
    package init(path: String, kind: ReportKind = .json) throws(SystemError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folderPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        folder = try Folder(path: folderPath, create: true, isDurable: true)
        try folder.requireReplaceable(name)
        file = try OutputFile(
            in: folder,
            name: name,
            mode: kind.fileMode,
            keepsModeOfReplacedFile: false
        )
    }

    /// Appends all of `bytes` to the unnamed file.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try file.write(bytes)
    }

    /// Syncs the file, names it in place of an older report, and syncs its folder.
    package func publish() throws(SystemError) {
        try file.syncForPublishing(replacing: true)
        try file.publish(replacing: true)
        try folder.sync()
    }
}
