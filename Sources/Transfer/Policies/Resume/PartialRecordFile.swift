internal import SystemKit

/// The file with a part's record: one or several texts, of which the last complete one counts.
///
/// Unsynced texts are appended and never replace the synced one: a power loss that empties or tears
/// the appended text leaves the synced one.
struct PartialRecordFile {
    /// The file's length; nil when nothing can be appended, because the file does not end with a
    /// complete text.
    private var length: Int64?
    /// Whether the file has content that must survive a power loss.
    private var isSettled: Bool

    /// Creates a description of a missing file.
    init() {
        length = nil
        isSettled = false
    }

    /// Describes the file that an earlier run left, which may be synced.
    ///
    /// - Parameters:
    ///   - size: The file's length.
    ///   - end: The end of its last complete text.
    init(size: Int, end: Int) {
        length = size == end ? Int64(size) : nil
        isSettled = true
    }

    /// Appends a text that need not survive a power loss; false when the text must replace the file
    /// instead.
    mutating func append(_ text: [UInt8], to name: String, in folder: Folder) -> Bool {
        guard let length, length + Int64(text.count) <= SealedLine.maximumSize else { return false }
        do throws(SystemError) {
            let file = try AppendFile(in: folder, name: name)
            try file.append(text, at: length, isDurable: false)
        } catch {
            return false
        }
        self.length = length + Int64(text.count)
        return true
    }

    /// Replaces the file with a text; syncs it where the previous content may be synced.
    mutating func replace(
        by text: [UInt8],
        _ name: String,
        in folder: Folder,
        isDurable: Bool
    ) throws(SystemError) {
        let isDurable = isDurable || isSettled
        try OutputFile.replacePrivate(name, in: folder, with: text.span, isDurable: isDurable)
        length = Int64(text.count)
        isSettled = isDurable
    }
}
