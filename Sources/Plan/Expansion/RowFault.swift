internal import Diagnostics

/// A fault in a row of a data file, and its place in the row.
struct RowFault: Error, Hashable {
    /// As a diagnostic's message.
    var message: String
    /// In bytes from the row's beginning.
    var offset: Int
    var help: String?

    init(_ message: String, at offset: Int, help: String? = nil) {
        self.message = message
        self.offset = offset
        self.help = help
    }

    /// A fault at the first byte that begins no scalar.
    static func notUTF8(in bytes: Span<UInt8>, from start: Int) -> RowFault {
        var index = start
        while let scalar = bytes.scalar(at: index) { index += scalar.length }
        return RowFault("the row is not UTF-8", at: index)
    }
}
