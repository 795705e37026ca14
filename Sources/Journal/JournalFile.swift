internal import SystemKit

/// The file of a journal: opening replaces it as a whole, later writes only append to it.
final class JournalFile {
    /// The largest journal, bytes; a longer file is not a journal.
    private static let maximumSize = 1 << 29

    private let file: AppendFile
    /// The file's length, bytes.
    private var length: Int64
    /// The header's mark with the smaller length.
    private var nextMark = JournalText.Mark.first
    /// Why the file can no longer be written: a failed fsync must not be repeated.
    private(set) var fault: SystemError?

    /// Opens a file and replaces its entries.
    ///
    /// - Parameters:
    ///   - folder: The file's folder.
    ///   - name: The file's name, without a slash.
    ///   - bytes: The result of `read`.
    ///   - entries: The new entries; on the disk when this returns.
    /// - Throws: The system's error.
    init(
        in folder: Folder,
        name: String,
        replacing bytes: [UInt8]?,
        with entries: [JournalText.Entry]
    ) throws(SystemError) {
        guard entries.allSatisfy({ $0.content.count < JournalText.longestContent }) else {
            throw .notPermitted(
                "write",
                folder.path(of: name),
                reason: "the journal would be too long"
            )
        }
        // Keeps the state and drops an incomplete tail: a journal grows during a run, and the next
        // run shortens it.
        let text = JournalText.bytes(of: entries)
        if text != bytes { try OutputFile.replacePrivate(name, in: folder, with: text.span) }
        // The process that wrote the file may have ended before a sync.
        try folder.sync()
        file = try AppendFile(in: folder, name: name)
        length = Int64(text.count)
    }

    /// Appends entries.
    ///
    /// - Parameters:
    ///   - entries: The entries in their binary form.
    ///   - isDurable: Whether these and all earlier entries are on the disk when this returns.
    /// - Throws: The error of `AppendFile`, and from then on always.
    func add(_ entries: [UInt8], isDurable: Bool = true) throws(SystemError) {
        if let fault { throw fault }
        do throws(SystemError) {
            let end = length + Int64(entries.count)
            // The mark survives the process from now on: the entries of a request sent later are
            // vouched for.
            let mark = isDurable ? nextMark.patch(length: end) : nil
            try file.append(entries, at: length, isDurable: isDurable, then: mark)
            length = end
            if isDurable { nextMark = nextMark.other }
        } catch {
            fault = error
            throw error
        }
    }

    // MARK: Reading

    /// The file's bytes; nil without a file.
    static func read(_ path: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try InputFile(path: path)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "other users may write to it")
            }
            // Entries beyond the limit may be essential.
            guard file.identity.size < maximumSize else {
                throw .notPermitted("read", path, reason: "it is larger than 512 MiB")
            }
            return try file.readPrefix(limit: maximumSize)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Reads the entries of a file, which is never empty, even after an interrupted run.
    ///
    /// Everything up to the marked length must be intact, otherwise the whole file is rejected.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - path: The file's path.
    ///   - loss: The consequence of losing the file, as half a sentence.
    ///   - understand: Interprets the entries; nil when that fails.
    /// - Returns: The result of `understand`.
    /// - Throws: `EPERM` with the reason why the file is rejected.
    static func content<Content>(
        of bytes: [UInt8],
        at path: String,
        loss: String,
        understand: ([JournalText.Entry]) -> Content?
    ) throws(SystemError) -> Content {
        do throws(JournalTextFault) {
            guard let content = understand(try JournalText(bytes).entries) else {
                throw .notAJournal
            }
            return content
        } catch {
            let reason =
                switch error {
                case .notAJournal, .damaged:
                    "the journal is damaged or cut; delete it if you accept that \(loss)"
                case .newer: "a later version of runner wrote the journal"
                }
            throw .notPermitted("read", path, reason: reason)
        }
    }
}

/// Why a journal cannot be read or written.
package struct JournalFault: Error, Sendable, Hashable {
    /// The reason in words.
    package let message: String
    /// The system's error number.
    package let errno: Int32

    init(_ error: SystemError) {
        message = error.message
        errno = error.errno
    }
}
