internal import Diagnostics
internal import SystemKit

/// Checks that bytes are UTF-8 text of an allowed size, before they are parsed.
///
/// libyaml checks this too, but without reporting the place.
struct InputCheck {
    /// The start of the text, after a byte order mark.
    let base: Int
    let isASCII: Bool

    /// The reason why the bytes are not text.
    struct Refusal: Error {
        let diagnostic: Diagnostic
    }

    init(_ source: SourceText) throws(Refusal) {
        let bytes = source.bytes.span
        guard bytes.count <= DocumentLimits.bytes else { throw Self.tooLarge }
        if let encoding = Self.foreignEncoding(bytes) { throw Self.foreign(encoding) }
        base = bytes.starts(with: 0xEF, 0xBB, 0xBF) ? 3 : 0
        var isASCII = true
        var directives = bytes.hasTagDirective(at: base) ? 1 : 0
        var index = base
        while true {
            index = bytes.endOfPrintableASCII(from: index)
            guard index < bytes.count else { break }
            let byte = bytes[index]
            isASCII = isASCII && byte < 0x80
            let found = byte < 0x80 ? (Unicode.Scalar(byte), 1) : bytes.scalar(at: index)
            guard let (scalar, length) = found else {
                throw Self.invalid(byte, at: index, in: source)
            }
            guard Self.isPrintable(scalar) else {
                throw Self.control(scalar, at: index, in: source)
            }
            index += length
            if Self.isBreak(scalar), bytes.hasTagDirective(at: index) {
                directives += 1
                guard directives <= DocumentLimits.tagDirectives else {
                    throw Self.tooManyDirectives(at: index, in: source)
                }
            }
        }
        self.isASCII = isASCII && base == 0
    }

    /// Whether a scalar is allowed in YAML text (YAML 1.2 §5.1).
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20..<0x7F, 0x85, 0xA0...0xFFFD, 0x10000...: true
        default: false
        }
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The name of another Unicode encoding, recognized by its byte order mark or by zero bytes
    /// beside an ASCII letter.
    private static func foreignEncoding(_ bytes: Span<UInt8>) -> String? {
        if bytes.starts(with: 0xFF, 0xFE, 0, 0) || bytes.starts(with: 0, 0, 0xFE, 0xFF) {
            return "UTF-32"
        }
        if bytes.starts(with: 0xFF, 0xFE) || bytes.starts(with: 0xFE, 0xFF) { return "UTF-16" }
        guard bytes.count >= 4, (bytes[0] == 0) != (bytes[1] == 0) else { return nil }
        return bytes[0] == bytes[2] && bytes[0] == 0 || bytes[1] == bytes[3] && bytes[1] == 0
            ? "UTF-16" : nil
    }

    private static var tooLarge: Refusal {
        Refusal(
            diagnostic: Diagnostic(
                .tooLarge,
                "the file is longer than \(DocumentLimits.bytes >> 20) MiB",
                at: SourceRange(SourcePosition(line: 1, column: 1)),
                help:
                    "split the job, or read its items with `forEach` from a CSV or JSON Lines file"
            )
        )
    }

    /// libyaml compares every directive with all previous ones.
    private static func tooManyDirectives(at offset: Int, in source: SourceText) -> Refusal {
        Refusal(
            diagnostic: Diagnostic(
                .tooLarge,
                "a job file may have at most \(DocumentLimits.tagDirectives) `%TAG` lines",
                at: SourceRange(source.position(at: offset)),
                help: "remove them: a job file needs no `%TAG` lines"
            )
        )
    }

    private static func foreign(_ encoding: String) -> Refusal {
        Refusal(
            diagnostic: Diagnostic(
                .notUTF8,
                "the file is encoded in \(encoding)",
                at: SourceRange(SourcePosition(line: 1, column: 1)),
                help: "save it as UTF-8"
            )
        )
    }

    private static func invalid(_ byte: UInt8, at offset: Int, in source: SourceText) -> Refusal {
        let hex = String(byte, radix: 16, uppercase: true)
        let guess =
            byte >= 0xA0 ? "; in Latin-1 this byte is `\(Character(Unicode.Scalar(byte)))`" : ""
        return Refusal(
            diagnostic: Diagnostic(
                .notUTF8,
                "the byte 0x\(hex) at offset \(offset) is not UTF-8",
                at: SourceRange(source.position(at: offset)),
                help: "save the file as UTF-8" + guess
            )
        )
    }

    private static func control(
        _ scalar: Unicode.Scalar,
        at offset: Int,
        in source: SourceText
    ) -> Refusal {
        let name = scalar.value.padded(to: 4, radix: 16, uppercase: true)
        let escape = scalar.value < 0x100 ? String(name.suffix(2)) : name
        let letter = scalar.value < 0x100 ? "x" : "u"
        let start = source.position(at: offset)
        let end = SourcePosition(line: start.line, column: start.column + 1)
        return Refusal(
            diagnostic: Diagnostic(
                .controlCharacter,
                "the control character U+\(name) is not allowed in YAML",
                at: SourceRange(start: start, end: end),
                help: "remove it, or write it as `\\\(letter)\(escape)` in double quotes"
            )
        )
    }
}

extension Span<UInt8> {
    fileprivate func hasTagDirective(at index: Int) -> Bool {
        count - index >= 4 && self[index] == UInt8(ascii: "%")
            && self[index + 1] == UInt8(ascii: "T") && self[index + 2] == UInt8(ascii: "A")
            && self[index + 3] == UInt8(ascii: "G")
    }

    fileprivate func starts(with bytes: UInt8...) -> Bool {
        guard count >= bytes.count else { return false }
        return bytes.indices.allSatisfy { self[$0] == bytes[$0] }
    }
}

/// Converts libyaml's positions in Unicode scalars to byte offsets, in ascending order only.
struct SourceCursor {
    /// The offset of the first byte for libyaml.
    let base: Int
    private let isASCII: Bool
    private var index = 0
    private var byte: Int

    /// Starts after `base` bytes, where a byte order mark ends.
    init(base: Int, isASCII: Bool) {
        self.base = base
        self.isASCII = isASCII
        byte = base
    }

    /// The byte offset of the scalar with number `target`, but never less than an earlier result.
    mutating func offset(of target: Int, in bytes: [UInt8]) -> Int {
        guard !isASCII else { return base + target }
        let span = bytes.span
        while index < target, byte < span.count {
            byte += 1
            while byte < span.count, span[byte] & 0xC0 == 0x80 { byte += 1 }
            index += 1
        }
        return byte
    }
}
