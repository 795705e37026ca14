internal import SystemKit
internal import TransferModel

/// The file name in a `Content-Disposition` (RFC 6266), parsed as leniently as browsers do.
///
/// The server chose the name, so nothing in it is safe.
struct ContentDisposition {
    /// `filename*` if decodable, otherwise `filename`; nil without both.
    let filename: String?

    /// Parses a field's value; the first of duplicate parameters counts.
    init(_ value: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(value))
        var plain: String?
        var extended: String?
        while let parameter = scanner.next() {
            switch parameter.name {
            case "filename": plain = plain ?? Self.text(parameter.value)
            case "filename*": extended = extended ?? Self.extendedText(parameter.value)
            default: break
            }
        }
        filename = extended ?? plain
    }

    /// Text without a declared encoding: UTF-8 if valid, otherwise ISO-8859-1 (both are in use, RFC
    /// 6266 Appendix C.3).
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    }

    private static func latin1(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    /// `UTF-8'en'na%C3%AFve`, or the same in ISO-8859-1 (RFC 8187 §3.2.1); nil for anything else.
    private static func extendedText(_ bytes: ArraySlice<UInt8>) -> String? {
        let parts = bytes.split(
            separator: UInt8(ascii: "'"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, let decoded = PercentCoding.decode(parts[2]) else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: decoded, as: UTF8.self)
        case "iso-8859-1": return latin1(decoded)
        default: return nil
        }
    }

    /// Splits a value into parameters and skips the disposition type, wherever it is.
    private struct Scanner {
        /// The unread bytes.
        private var rest: ArraySlice<UInt8>

        init(bytes: [UInt8]) { rest = bytes[...] }

        /// The next `name=value`, the name in lower case, the value without quotes and escapes.
        mutating func next() -> (name: String, value: ArraySlice<UInt8>)? {
            while !rest.isEmpty {
                let name = word { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
                guard rest.popFirst() == UInt8(ascii: "=") else { continue }
                rest = rest.drop(while: \.isBlank)
                let isQuoted = rest.first == UInt8(ascii: "\"")
                let quoted = isQuoted ? quotedString() : []
                // Text after a quoted string is ignored.
                let plain = word { $0 == UInt8(ascii: ";") }
                _ = rest.popFirst()
                return (
                    String(decoding: name, as: UTF8.self).lowercased(),
                    isQuoted ? quoted[...] : plain
                )
            }
            return nil
        }

        /// The bytes before a delimiter, without surrounding blanks.
        private mutating func word(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let word = rest.prefix { !isEnd($0) }
            rest = rest.dropFirst(word.count)
            return word.withoutOuterBlanks
        }

        /// Reads from the opening quote; an unclosed string extends to the end.
        private mutating func quotedString() -> [UInt8] {
            rest = rest.dropFirst()
            var text: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                let isEscape = byte == UInt8(ascii: "\\") && !rest.isEmpty
                text.append(isEscape ? rest.removeFirst() : byte)
            }
            return text
        }
    }
}
