internal import TransferModel

/// The mark at the beginning of a text that tells its encoding.
enum ByteOrderMark {
    case utf8
    case utf16(TextEncoding.ByteOrder)
    case utf32(TextEncoding.ByteOrder)

    /// The bytes of the longest mark.
    static let longest = 4

    /// The mark in the first bytes of a text; nil without one.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .utf8
        } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            self = .utf32(.little)
        } else if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            self = .utf32(.big)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            self = .utf16(.little)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16(.big)
        } else {
            return nil
        }
    }

    /// The encoding that the mark declares.
    ///
    /// The mark of little-endian UTF-32 may also be the mark of UTF-16 and a NUL.
    func encoding(expecting expected: TextEncoding) -> TextEncoding {
        switch self {
        case .utf8: .utf8
        case .utf16(let order): TextEncoding.utf16.ordered(order)
        case .utf32(.little) where expected.agrees(with: .utf16le): .utf16le
        case .utf32(let order): TextEncoding.utf32.ordered(order)
        }
    }
}
