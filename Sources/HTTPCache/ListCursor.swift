internal import TransferModel

/// Walks over a field value that is a list (RFC 9110 §5.6.1): its elements stand between commas
/// that are not quoted.
struct ListCursor {
    /// One `token [ "=" ( token / quoted-string ) ]` of `Cache-Control` (RFC 9111 §5.2).
    struct Directive {
        /// In lower case.
        var name: String
        /// Without quotes; nil without one.
        var argument: String?
        /// Whether nothing else stood in the element.
        var isWellFormed = true
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next element, trimmed, quotes included; empty ones are passed over.
    mutating func nextElement() -> ArraySlice<UInt8>? {
        while position < bytes.count {
            var start = position
            var end = elementEnd(from: position)
            position = end + 1
            while start < end, Self.isBlank(bytes[start]) { start += 1 }
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            if start < end { return bytes[start..<end] }
        }
        return nil
    }

    /// The next element as a directive.
    mutating func nextDirective() -> Directive? {
        guard let element = nextElement() else { return nil }
        let nameEnd = element.firstIndex { !$0.isTokenByte } ?? element.endIndex
        let name = element[..<nameEnd].map(\.asciiLowercased)
        var directive = Directive(name: String(decoding: name, as: UTF8.self))
        guard nameEnd < element.endIndex else { return directive }
        guard element[nameEnd] == UInt8(ascii: "=") else {
            directive.isWellFormed = false
            return directive
        }
        let argument = element[(nameEnd + 1)...]
        if argument.first == UInt8(ascii: "\"") {
            let text = Self.unquoted(argument)
            directive.argument = text
            directive.isWellFormed = text != nil
        } else {
            directive.argument = String(decoding: argument, as: UTF8.self)
        }
        return directive
    }

    /// Where the element that begins at `start` ends: at a comma that is not quoted, or at the end.
    private func elementEnd(from start: Int) -> Int {
        var end = start
        var isQuoted = false
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: end += 1
            case UInt8(ascii: ",") where !isQuoted: return end
            default: break
            }
            end += 1
        }
        return bytes.count
    }

    /// What a quoted-string says (RFC 9110 §5.6.4); nil when it does not end where the text does.
    private static func unquoted(_ text: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var rest = text.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return rest.isEmpty ? String(decoding: result, as: UTF8.self) : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                result.append(escaped)
            default: result.append(byte)
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
}
