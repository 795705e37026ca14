/// Writes JSON text (RFC 8259) into a byte buffer, in the order of the calls.
///
/// Values separate themselves; the caller only has to open and close what it opens. Written by hand because reports
/// are compared by people: the order of the keys is the order of the calls, and nothing is allocated per value.
/// Control characters are escaped, U+007F…U+009F among them, so that no text can drive a terminal that shows it.
package struct JSONWriter {
    /// What stands in front of the next value.
    private enum Position {
        case start
        case afterKey
        case afterValue
    }

    /// The text so far, UTF-8.
    package private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    /// Whether `/` is written as it is; JSONEncoder writes `\/` unless told otherwise.
    private let escapesSlashes: Bool
    /// Whether every byte is that of Foundation's JSONEncoder: ` : ` and an empty line between the brackets of an
    /// empty collection when pretty, U+007F…U+009F as they are, short escapes for backspace and form feed.
    private let followsJSONEncoder: Bool
    private var depth = 0
    private var position = Position.start

    package init(
        isPretty: Bool = false,
        escapesSlashes: Bool = false,
        followsJSONEncoder: Bool = false
    ) {
        self.isPretty = isPretty
        self.escapesSlashes = escapesSlashes
        self.followsJSONEncoder = followsJSONEncoder
    }

    package mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Hands the text so far to `body` and forgets it; open objects and arrays stay open.
    package mutating func drain<Failure: Error>(
        _ body: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        defer { bytes.removeAll(keepingCapacity: true) }
        try body(bytes)
    }

    /// Forgets the text and everything that is open, and keeps the memory for the next document.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        depth = 0
        position = .start
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name; its value must follow.
    package mutating func key(_ name: String) {
        separate()
        quote(name.utf8)
        if isPretty, followsJSONEncoder { bytes.append(UInt8(ascii: " ")) }
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        position = .afterKey
    }

    /// Writes the name at `index` of names that were made ready before; its value must follow.
    package mutating func key(_ keys: JSONKeys, at index: Int) {
        if isPretty { separate() }
        let withComma = position == .afterValue && !isPretty
        append(keys.text.span.extracting(keys.range(at: index, withComma: withComma)))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        position = .afterKey
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        position = .afterValue
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
        position = .afterValue
    }

    package mutating func integer(_ value: Int64) {
        separate()
        appendInteger(value)
        position = .afterValue
    }

    /// Writes the shortest text that reads as the same number, a whole one without `.0`; `value` must be finite.
    package mutating func number(_ value: Double) {
        let text = value.description
        raw(text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    package mutating func string(_ value: String) {
        separate()
        quote(value.utf8)
        position = .afterValue
    }

    /// Writes bytes as the characters U+0000…U+00FF of the same numbers.
    package mutating func latin1(_ value: ArraySlice<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        if isPlainASCII(value.span) {
            bytes.append(contentsOf: value)
        } else {
            for byte in value {
                if byte < 0xA0 {
                    appendEscaped(byte)
                } else {
                    bytes.append(0xC0 | byte >> 6)
                    bytes.append(0x80 | byte & 0x3F)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
        position = .afterValue
    }

    /// Writes a string whose ASCII content `append` puts into the buffer and which needs no escaping.
    package mutating func plainString(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        position = .afterValue
    }

    /// Writes text that is already a JSON value, such as a number in its own spelling.
    package mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
        position = .afterValue
    }

    /// Ends a line between two values, for documents that are streamed.
    package mutating func newline() {
        bytes.append(10)
    }

    private mutating func append(_ text: Span<UInt8>) {
        bytes.append(addingCapacity: text.count) { output in
            for index in text.indices { output.append(text[index]) }
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        position = .start
    }

    private mutating func close(_ bracket: UInt8) {
        depth -= 1
        if isPretty, followsJSONEncoder, position == .start { bytes.append(10) }
        if isPretty, position == .afterValue || followsJSONEncoder { indent() }
        bytes.append(bracket)
        position = .afterValue
    }

    private mutating func separate() {
        if position == .afterValue { bytes.append(UInt8(ascii: ",")) }
        if isPretty, depth > 0, position != .afterKey { indent() }
    }

    private mutating func indent() {
        bytes.append(10)
        for _ in 0..<depth * 2 { bytes.append(32) }
    }

    private mutating func quote(_ text: String.UTF8View) {
        bytes.append(UInt8(ascii: "\""))
        if isPlain(text.span) {
            bytes.append(contentsOf: text)
        } else {
            appendEscaped(text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether nothing of UTF-8 text has to be escaped; 0xC2 may begin a control of U+0080…U+009F.
    private func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices
        where isEscaped(text[index]) || (text[index] == 0xC2 && !followsJSONEncoder) {
            return false
        }
        return true
    }

    private func isPlainASCII(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] >= 0x80 || isEscaped(text[index]) {
            return false
        }
        return true
    }

    private func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
            || (escapesSlashes && byte == UInt8(ascii: "/"))
    }

    private mutating func appendEscaped(_ text: String.UTF8View) {
        var isAfterC2 = false
        for byte in text {
            if isAfterC2 {
                if byte < 0xA0, !followsJSONEncoder {
                    appendEscaped(byte)
                } else {
                    bytes.append(0xC2)
                    bytes.append(byte)
                }
                isAfterC2 = false
            } else if byte == 0xC2 {
                isAfterC2 = true
            } else if byte < 0x80 {
                appendEscaped(byte)
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Appends the character U+0000…U+009F of that number.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "/") where escapesSlashes:
            bytes.append(contentsOf: "\\/".utf8)
        case 10: bytes.append(contentsOf: "\\n".utf8)
        case 13: bytes.append(contentsOf: "\\r".utf8)
        case 9: bytes.append(contentsOf: "\\t".utf8)
        case 8 where followsJSONEncoder: bytes.append(contentsOf: "\\b".utf8)
        case 12 where followsJSONEncoder: bytes.append(contentsOf: "\\f".utf8)
        case 0x7F where followsJSONEncoder: bytes.append(byte)
        case 0..<0x20, 0x7F...0x9F:
            bytes.append(contentsOf: "\\u00".utf8)
            appendHexDigit(byte >> 4)
            appendHexDigit(byte & 15)
        default:
            bytes.append(byte)
        }
    }

    private mutating func appendHexDigit(_ value: UInt8) {
        bytes.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }

    private mutating func appendInteger(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<20 { bytes.append(digits[index]) }
    }
}

extension JSONWriter {
    /// Writes a whole value; numbers keep their spelling.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let text): raw(text.utf8)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }
}
