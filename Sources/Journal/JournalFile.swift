internal import SystemKit

/// The file of a journal: replaced as a whole when it is opened, from then on only added to.
final class JournalFile {
    /// Longer files are none of ours, bytes.
    private static let maximumSize = 1 << 29

    private let file: AppendFile
    /// How long the file is, bytes.
    private var length: Int64
    /// Which of the header's marks says less.
    private var nextMark = JournalText.Mark.first
    /// Why nothing can be written any more: an fsync that has failed is not to be repeated.
    private(set) var fault: SystemError?

    /// Opens a file that has certain entries from then on, and no others.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    ///   - bytes: What `read` has found.
    ///   - entries: What takes the place of all its entries; on the disk when this returns.
    /// - Throws: What the system says.
    init(
        in folder: Folder,
        name: String,
        replacing bytes: [UInt8]?,
        with entries: [JournalText.Entry]
    ) throws(SystemError) {
        guard entries.allSatisfy({ $0.content.count < JournalText.longestContent }) else {
            throw .notPermitted("write", folder.path(of: name), reason: "it would be too long")
        }
        // The state and no torn tail: a journal grows while a run lasts and is cut to that by the
        // next one.
        let text = JournalText.bytes(of: entries)
        if text != bytes { try OutputFile.replacePrivate(name, in: folder, with: text.span) }
        // Whoever has written it may have ended before.
        try folder.sync()
        file = try AppendFile(in: folder, name: name)
        length = Int64(text.count)
    }

    /// Adds entries at the end.
    ///
    /// - Parameters:
    ///   - entries: As they stand in a file.
    ///   - isDurable: Whether they and all before them are on the disk when this returns.
    /// - Throws: What `AppendFile` does, and from then on always.
    func add(_ entries: [UInt8], isDurable: Bool = true) throws(SystemError) {
        if let fault { throw fault }
        do throws(SystemError) {
            let end = length + Int64(entries.count)
            // In memory when the caller goes on: an order that then leaves is vouched for, whoever
            // kills the process.
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

    /// A file's bytes; nil when there is no file.
    static func read(_ path: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try InputFile(path: path)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "others may have written it")
            }
            // What is behind the limit may be what must not be forgotten.
            guard file.identity.size < maximumSize else {
                throw .notPermitted("read", path, reason: "it is larger than 512 MiB")
            }
            return try file.readPrefix(limit: maximumSize)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// What a file says: published as a whole, it says something, however a run that has added to
    /// it was cut.
    ///
    /// What its marks vouch for is all there, or none of it is believed.
    ///
    /// - Parameters:
    ///   - bytes: Of the file.
    ///   - path: The file's.
    ///   - loss: What it means to do without the file, as half a sentence.
    ///   - understand: Makes something of the entries; nil when that cannot be done.
    /// - Returns: What `understand` has made of them.
    /// - Throws: `EPERM` with the reason for which the file is not believed.
    static func content<Content>(
        of bytes: [UInt8],
        at path: String,
        loss: String,
        understand: ([JournalText.Entry]) -> Content?
    ) throws(SystemError) -> Content {
        do throws(JournalText.Fault) {
            guard let content = understand(try JournalText(bytes).entries) else {
                throw .notAJournal
            }
            return content
        } catch {
            let reason =
                switch error {
                case .notAJournal, .damaged:
                    "it is damaged or was shortened; without it, \(loss): delete it if that may be"
                case .newer: "a later version of runner has written it"
                }
            throw .notPermitted("read", path, reason: reason)
        }
    }
}
