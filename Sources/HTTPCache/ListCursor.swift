internal import SystemKit
internal import TransferModel

/// Walks over the elements of a field value that is a list, separated by unquoted commas (RFC 9110
/// §5.6.1).
struct ListCursor {
    /// One `token [ "=" ( token / quoted-string ) ]` of `Cache-Control` (RFC 9111 §5.2).
    struct Directive {
        /// In lower case.
        var name: String
        /// Without quotes; nil without an argument.
        var argument: String?
        /// Whether the element has no other text.
        var isWellFormed = true
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next element, trimmed and with its quotes; skips empty elements.
    mutating func nextElement() -> ArraySlice<UInt8>? {
        while position < bytes.count {
            let end = elementEnd(from: position)
            let element = bytes[position..<end].withoutOuterBlanks
            position = end + 1
            if !element.isEmpty { return element }
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

    /// The end of the element that begins at `start`: an unquoted comma, or the end of the value.
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

    /// The content of a quoted-string (RFC 9110 §5.6.4); nil unless the string ends with the text.
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
}
