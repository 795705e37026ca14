internal import SystemKit
internal import TransferModel

/// Checks while a body arrives that it is text in the expected encoding.
///
/// A body declares its encoding by a byte order mark, or else by its `charset`; otherwise the
/// expected one is assumed. ASCII is a subset of most other encodings: if one side says ASCII, the
/// body must be ASCII.
struct TextCheck {
    private let expected: TextEncoding
    private let charset: String?
    /// The first bytes, until it is clear whether there is a byte order mark.
    private var opening: [UInt8] = []
    /// nil while that is unclear.
    private var bytes: EncodedBytes?

    init(_ expected: TextEncoding, charset: String?) {
        self.expected = expected
        self.charset = charset
    }

    /// Takes a piece; returns the fault of the body.
    mutating func take(_ piece: Span<UInt8>) -> String? {
        guard bytes == nil else { return check(piece) }
        var taken = 0
        while taken < piece.count, opening.count < ByteOrderMark.longest {
            opening.append(piece[taken])
            taken += 1
        }
        guard opening.count == ByteOrderMark.longest else { return nil }
        return open() ?? check(piece.extracting(droppingFirst: taken))
    }

    /// The fault of the complete body.
    mutating func end() -> String? {
        if bytes == nil, let fault = open() { return fault }
        guard bytes?.isComplete == true else { return "the body ends in the middle of a character" }
        return nil
    }

    /// Chooses the encoding by the first bytes.
    private mutating func open() -> String? {
        let mark = ByteOrderMark(opening)
        let declared = mark == nil ? charset : nil
        let known =
            mark?.encoding(expecting: expected) ?? declared.flatMap { TextEncoding(charset: $0) }
        var encoding = expected
        if mark != nil || declared != nil {
            guard let known, agrees(known) else {
                let found = declared.map { TextExcerpt.of($0) } ?? known?.rawValue ?? ""
                return "the body is \(found)"
            }
            // The narrower declaration counts.
            if known == .ascii || expected.isOpen { encoding = known }
        }
        guard let bytes = EncodedBytes(encoding.isOpen ? encoding.ordered(.big) : encoding) else {
            return "this machine cannot decode \(encoding.rawValue)"
        }
        self.bytes = bytes
        let first = opening
        return check(first.span)
    }

    /// Whether a body with a declared encoding may be text in the expected one.
    private func agrees(_ known: TextEncoding) -> Bool {
        if expected.agrees(with: known) { return true }
        return known == .ascii && expected.extendsASCII || expected == .ascii && known.extendsASCII
    }

    private mutating func check(_ piece: Span<UInt8>) -> String? {
        guard let offset = bytes?.take(piece) else { return nil }
        return "byte \(offset) of the body is not \(bytes?.encoding.rawValue ?? "")"
    }
}

/// Checks bytes for an encoding, in pieces of any size.
struct EncodedBytes {
    let encoding: TextEncoding
    private var offset: Int64 = 0
    /// The progress of a text in UTF-8.
    private var text = UTF8Progress()
    /// nil for the encodings that are checked here.
    private let decoder: CharacterDecoder?

    /// nil when this machine cannot decode the encoding.
    init?(_ encoding: TextEncoding) {
        self.encoding = encoding
        switch encoding {
        case .utf8, .ascii, .latin1: decoder = nil
        default:
            guard let decoder = CharacterDecoder(encoding.rawValue) else { return nil }
            self.decoder = decoder
        }
    }

    /// Whether the last character is complete.
    var isComplete: Bool { decoder?.isComplete ?? text.isComplete }

    /// Takes a piece; returns the offset in the body of the first invalid byte.
    mutating func take(_ bytes: Span<UInt8>) -> Int64? {
        if let decoder { return decoder.take(bytes) }
        let fault: Int? =
            switch encoding {
            case .latin1: nil
            case .utf8: text.firstFault(in: bytes)
            default: bytes.endOfASCII(from: 0) < bytes.count ? bytes.endOfASCII(from: 0) : nil
            }
        if let fault { return offset + Int64(fault) }
        offset += Int64(bytes.count)
        return nil
    }
}

/// The mark at the beginning of a text that shows its encoding.
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
