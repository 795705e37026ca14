/// What a part and its record are called: hidden names beside the destination, which no server can
/// choose.
struct PartialNames: Sendable, Hashable {
    /// How every record's name ends.
    static let recordEnding = ".part.record"
    /// The most bytes of a name in a folder.
    private static let mostBytes = 255

    /// Such as `.file.bin.part`.
    let part: String
    /// Such as `.file.bin.part.record`.
    let record: String

    /// nil for a file whose name leaves no room for what is added.
    init?(of name: String) {
        guard !name.isEmpty, name.utf8.count + 1 + Self.recordEnding.utf8.count <= Self.mostBytes
        else { return nil }
        part = ".\(name).part"
        record = ".\(name)\(Self.recordEnding)"
    }
}
