/// The names of a part and its record: hidden names beside the destination, which no server can
/// choose.
struct PartialNames: Sendable, Hashable {
    /// The ending of every record's name.
    static let recordEnding = ".part.record"
    /// The most bytes of a name in a folder.
    private static let mostBytes = 255

    /// Such as `.file.bin.part`.
    let part: String
    /// Such as `.file.bin.part.record`.
    let record: String

    /// The name of the file to which a record's name belongs.
    static func name(ofRecord record: String) -> String {
        String(decoding: record.utf8.dropFirst().dropLast(recordEnding.utf8.count), as: UTF8.self)
    }

    /// Returns nil when the file's name is too long for the additions.
    init?(of name: String) {
        guard !name.isEmpty, name.utf8.count + 1 + Self.recordEnding.utf8.count <= Self.mostBytes
        else { return nil }
        part = ".\(name).part"
        record = ".\(name)\(Self.recordEnding)"
    }
}
