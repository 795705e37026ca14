/// Writes JSON text (RFC 8259) into a byte buffer, in the order of the calls.
///
/// Values separate themselves; the caller only has to open and close what it opens. Written by hand because reports
/// are compared by people: the order of the keys is the order of the calls, and nothing is allocated per value.
package struct JSONWriter {
    /// The text so far, UTF-8.
    package private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    /// Whether `/` is written as it is; JSONEncoder writes `\/` unless told otherwise.
    private let escapesSlashes: Bool
    /// Whether every byte is that of Foundation's JSONEncoder: ` : ` and an empty line between the brackets of an
    /// empty collection when pretty, U+007F as it is, short escapes for backspace and form feed.
    private let followsJSONEncoder: Bool
    private var depth = 0
    private var needsSeparator = false

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
        needsSeparator = false
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsSeparator = true
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
        needsSeparator = true
    }

    package mutating func integer(_ value: Int64) {
        separate()
        appendInteger(value)
        needsSeparator = true
    }

    package mutating func string(_ value: String) {
        separate()
        quote(value.utf8)
        needsSeparator = true
    }

    /// Writes bytes as the characters U+0000…U+00FF of the same numbers.
    package mutating func latin1(_ value: ArraySlice<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value {
            if byte < 0x80 {
                appendEscaped(byte)
            } else {
                bytes.append(0xC0 | byte >> 6)
                bytes.append(0x80 | byte & 0x3F)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsSeparator = true
    }

    /// Writes a string whose ASCII content `append` puts into the buffer and which needs no escaping.
    package mutating func plainString(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsSeparator = true
    }

    /// Writes text that is already a JSON value, such as a number in its own spelling.
    package mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
        needsSeparator = true
    }

    /// Ends a line between two values, for documents that are streamed.
    package mutating func newline() {
        bytes.append(10)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsSeparator = false
    }

    private mutating func close(_ bracket: UInt8) {
        depth -= 1
        if isPretty, followsJSONEncoder, !needsSeparator { bytes.append(10) }
        if isPretty, needsSeparator || followsJSONEncoder { indent() }
        bytes.append(bracket)
        needsSeparator = true
    }

    private mutating func separate() {
        if needsSeparator { bytes.append(UInt8(ascii: ",")) }
        guard isPretty, depth > 0, bytes.last != UInt8(ascii: " ") else { return }
        indent()
    }

    private mutating func indent() {
        bytes.append(10)
        for _ in 0..<depth * 2 { bytes.append(32) }
    }

    private mutating func quote(_ text: String.UTF8View) {
        bytes.append(UInt8(ascii: "\""))
        let span = text.span
        var isPlain = true
        for index in span.indices where !Self.isPlain(span[index]) { isPlain = false }
        if isPlain, !escapesSlashes {
            bytes.append(contentsOf: text)
        } else {
            for byte in text { appendEscaped(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A byte that stands for itself: no control, quote or backslash; the bytes of longer sequences included.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    }

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
        case 0..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        default:
            bytes.append(byte)
        }
    }

    private mutating func appendInteger(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
