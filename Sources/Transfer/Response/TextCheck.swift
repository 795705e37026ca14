internal import TransferModel

/// Checks while a body comes in that it is text in the encoding that a job expects.
///
/// How a body says that it is encoded: its byte order mark, then its `charset`. Without either it
/// is taken for what is expected. ASCII is a part of the other encodings: where one side says
/// ASCII, the body has to be ASCII.
struct TextCheck {
    private let expected: TextEncoding
    private let charset: String?
    /// The first bytes, until they tell whether there is a byte order mark.
    private var opening: [UInt8] = []
    /// nil while the opening is not known.
    private var bytes: EncodedBytes?

    init(_ expected: TextEncoding, charset: String?) {
        self.expected = expected
        self.charset = charset
    }

    /// Takes a piece; returns what is wrong with the body.
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

    /// What is wrong with the whole body.
    mutating func end() -> String? {
        if bytes == nil, let fault = open() { return fault }
        guard bytes?.isComplete == true else { return "the body ends in the middle of a character" }
        return nil
    }

    /// Decides by the first bytes how the body is read.
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

/// Bytes that must be well-formed in an encoding, in pieces that may end anywhere.
struct EncodedBytes {
    let encoding: TextEncoding
    private var offset: Int64 = 0
    /// Continuation bytes that a character still needs, and the bounds of the next one (Unicode,
    /// table 3-7).
    private var missing = 0
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    init(_ encoding: TextEncoding) {
        self.encoding = encoding
    }

    /// Whether no character is open.
    var isComplete: Bool { missing == 0 }

    /// Takes a piece; returns the place in the body of the first byte that cannot stand there.
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

    /// The first byte of a character that is not ASCII.
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
