internal import SystemKit

/// The file that a part's record stands in: one text or several, of which the last whole one
/// counts.
///
/// What is not synced is added behind what is, and never takes its place: a power loss that empties
/// or tears what was added leaves what was synced.
struct PartialRecordFile {
    /// How long the file is; nil where nothing can be added, because it does not end with a whole
    /// text.
    private var length: Int64?
    /// Whether it has something that a power loss is not to take.
    private var isSettled: Bool

    /// There is none yet.
    init() {
        length = nil
        isSettled = false
    }

    /// What an earlier run has left, which may be synced.
    ///
    /// - Parameters:
    ///   - size: How long the file is.
    ///   - end: Where its last whole text ends.
    init(size: Int, end: Int) {
        length = size == end ? Int64(size) : nil
        isSettled = true
    }

    /// Adds a text that need not survive a power loss; false when it has to take the place of the
    /// file.
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

    /// Puts a text in the place of the file; synced where the one before may be.
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
