internal import TransferModel

/// Checks while a body arrives that it is text in the expected encoding.
///
/// A body declares its encoding by a byte order mark, or else by its `charset`; otherwise the
/// expected one is assumed. ASCII is a subset of the other encodings: if one side says ASCII, the
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
        while taken < piece.count, opening.count < 3 {
            opening.append(piece[taken])
            taken += 1
        }
        guard opening.count == 3 else { return nil }
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
        let declared: String?
        if opening == [0xEF, 0xBB, 0xBF] {
            declared = "utf-8"
        } else if opening.starts(with: [0xFE, 0xFF]) || opening.starts(with: [0xFF, 0xFE]) {
            declared = "utf-16"
        } else {
            declared = charset
        }
        var encoding = expected
        if let declared {
            let known = TextEncoding(charset: declared)
            guard known == expected || known == .ascii || (known != nil && expected == .ascii)
            else { return "the body is \(TextExcerpt.of(declared))" }
            if known == .ascii { encoding = .ascii }
        }
        bytes = EncodedBytes(encoding)
        let first = opening
        return check(first.span)
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
    /// The continuation bytes that a character still needs, and the range of the next one (Unicode,
    /// table 3-7).
    private var missing = 0
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    init(_ encoding: TextEncoding) {
        self.encoding = encoding
    }

    /// Whether the last character is complete.
    var isComplete: Bool { missing == 0 }

    /// Takes a piece; returns the offset in the body of the first invalid byte.
    mutating func take(_ bytes: Span<UInt8>) -> Int64? {
        guard encoding != .latin1 else { return nil }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let isAccepted =
                if missing > 0 {
                    proceed(byte)
                } else {
                    byte < 0x80 || (encoding == .utf8 && begin(byte))
                }
            guard isAccepted else { return offset + Int64(index) }
            index += 1
        }
        offset += Int64(bytes.count)
        return nil
    }

    /// Reads the first byte of a non-ASCII character.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF: missing = 2
        case 0xF0...0xF4: missing = 3
        default: return false
        }
        next =
            switch byte {
            case 0xE0: 0xA0...0xBF  // no longer form than needed
            case 0xED: 0x80...0x9F  // no surrogates
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F  // nothing above U+10FFFF
            default: 0x80...0xBF
            }
        return true
    }

    private mutating func proceed(_ byte: UInt8) -> Bool {
        guard next.contains(byte) else { return false }
        missing -= 1
        next = 0x80...0xBF
        return true
    }
}
