// Public because callers that write names inline the buffer's code.
public import SystemKit

/// Writes JSON text (RFC 8259) into a byte buffer, in the order of the calls.
///
/// The writer adds separators; the caller only opens and closes collections. It is not generated,
/// because users compare reports: keys appear in the order of the calls, and no value needs an
/// allocation. Control characters are escaped, including U+007F…U+009F, so that no text can control
/// a terminal.
@usableFromInline package struct JSONWriter: ~Copyable {
    /// The position of the next value.
    @usableFromInline internal enum Position {
        case start
        case afterKey
        case afterValue
    }

    @usableFromInline internal var buffer = OutputBuffer()
    @usableFromInline internal let isPretty: Bool
    /// Whether to write `\/` for `/`, the default of JSONEncoder.
    private let escapesSlashes: Bool
    /// Whether to write the same bytes as Foundation's JSONEncoder: pretty output has ` : ` and an
    /// empty line in empty collections, U+007F…U+009F are unescaped, and backspace and form feed
    /// have short escapes.
    private let followsJSONEncoder: Bool
    private var depth = 0
    @usableFromInline internal var position = Position.start

    /// Creates a writer of compact text by default.
    package init(
        isPretty: Bool = false,
        escapesSlashes: Bool = false,
        followsJSONEncoder: Bool = false
    ) {
        self.isPretty = isPretty
        self.escapesSlashes = escapesSlashes
        self.followsJSONEncoder = followsJSONEncoder
    }

    /// A copy of the UTF-8 text so far.
    package var bytes: [UInt8] { buffer.bytes }

    /// The length of the text so far, bytes.
    package var count: Int { buffer.count }

    /// Makes room for `count` further bytes.
    package mutating func reserveCapacity(_ count: Int) {
        buffer.reserve(count)
    }

    /// Passes the text so far to `body` and removes it; open objects and arrays stay open.
    package mutating func drain<Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        defer { buffer.removeAll() }
        try buffer.withBytes(body)
    }

    /// Removes the text and all open collections, and keeps the memory for the next document.
    package mutating func reset() {
        buffer.removeAll()
        depth = 0
        position = .start
    }

    /// Opens an object; `key` writes the name of each of its members.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes the innermost collection, which must be an object.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes the innermost collection, which must be an array.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name; its value must follow.
    package mutating func key(_ name: String) {
        separate()
        quote(name.utf8)
        endKey()
    }

    /// Writes a member's name that needs no escaping; its value must follow.
    ///
    /// Inlined into its caller, where the length of the name is known.
    @inlinable @inline(__always)
    package mutating func key(plain name: StaticString) {
        if isPretty { return prettyKey(name) }
        buffer.append(memberNamed: name, follows: position == .afterValue)
        position = .afterKey
    }

    @usableFromInline
    internal mutating func prettyKey(_ name: StaticString) { key(name.description) }

    /// Writes `null` as the next value.
    @inlinable @inline(__always) package mutating func null() {
        separate()
        buffer.append("null")
        position = .afterValue
    }

    /// Writes `true` or `false` as the next value.
    @inlinable @inline(__always) package mutating func bool(_ value: Bool) {
        separate()
        buffer.append(value ? "true" : "false")
        position = .afterValue
    }

    /// Writes decimal digits as the next value.
    package mutating func integer(_ value: Int64) {
        separate()
        appendInteger(value)
        position = .afterValue
    }

    /// Writes the shortest text for the number, an integer without `.0`; `value` must be finite.
    package mutating func number(_ value: Double) {
        // Most numbers of a report are whole ones, and the usual priority: they need no search for
        // their shortest text.
        if value == 0.5 {
            separate()
            buffer.append("0.5")
            position = .afterValue
            return
        }
        let isShort = value.magnitude < 1_000_000_000_000_000 && (value != 0 || value.sign == .plus)
        if isShort, let whole = Int64(exactly: value) { return integer(whole) }
        let text = value.description
        raw(text.hasByteSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    /// Writes a string in quotes, with the necessary escapes, as the next value.
    package mutating func string(_ value: String) {
        separate()
        quote(value.utf8)
        position = .afterValue
    }

    /// Writes text that needs no escaping.
    package mutating func string(plain value: StaticString) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(value)
        buffer.append(UInt8(ascii: "\""))
        position = .afterValue
    }

    /// Writes each byte as the character U+0000…U+00FF with the same number.
    package mutating func latin1(_ value: Span<UInt8>) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        if isPlain(value) {
            buffer.append(value)
        } else {
            // Plain text is copied in runs.
            var copied = 0
            for index in value.indices where isSpecial(value[index]) || value[index] >= 0x80 {
                buffer.append(value.extracting(copied..<index))
                copied = index + 1
                let byte = value[index]
                if byte < 0xA0 {
                    appendEscaped(byte)
                } else {
                    buffer.append(0xC0 | byte >> 6)
                    buffer.append(0x80 | byte & 0x3F)
                }
            }
            buffer.append(value.extracting(droppingFirst: copied))
        }
        buffer.append(UInt8(ascii: "\""))
        position = .afterValue
    }

    /// Writes a string of ASCII that needs no escaping.
    package mutating func plainString(_ value: Span<UInt8>) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(value)
        buffer.append(UInt8(ascii: "\""))
        position = .afterValue
    }

    /// Writes the text of another writer as one value.
    package mutating func value(_ other: borrowing JSONWriter) {
        separate()
        buffer.append(other.buffer)
        position = .afterValue
    }

    /// Writes text that is already a JSON value, such as a number in its original spelling.
    package mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        for byte in value { buffer.append(byte) }
        position = .afterValue
    }

    /// Writes a line feed between two values, for streamed documents.
    package mutating func newline() {
        buffer.append(10)
    }

    /// Ends a document with a line feed; the next value begins another document (NDJSON).
    package mutating func endLine() {
        buffer.append(10)
        position = .start
    }

    private mutating func endKey() {
        if isPretty, followsJSONEncoder { buffer.append(UInt8(ascii: " ")) }
        buffer.append(UInt8(ascii: ":"))
        if isPretty { buffer.append(UInt8(ascii: " ")) }
        position = .afterKey
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        buffer.append(bracket)
        depth += 1
        position = .start
    }

    private mutating func close(_ bracket: UInt8) {
        depth -= 1
        if isPretty, followsJSONEncoder, position == .start { buffer.append(10) }
        if isPretty, position == .afterValue || followsJSONEncoder { indent() }
        buffer.append(bracket)
        position = .afterValue
    }

    @inlinable @inline(__always)
    internal mutating func separate() {
        if position != .afterKey { separateFromLast() }
    }

    @usableFromInline internal mutating func separateFromLast() {
        if position == .afterValue { buffer.append(UInt8(ascii: ",")) }
        if isPretty, depth > 0 { indent() }
    }

    private mutating func indent() {
        buffer.append(10)
        for _ in 0..<depth * 2 { buffer.append(32) }
    }

    private mutating func quote(_ text: String.UTF8View) {
        buffer.append(UInt8(ascii: "\""))
        let span = text.span
        if isPlain(span) {
            buffer.append(span)
        } else {
            appendEscaped(span)
        }
        buffer.append(UInt8(ascii: "\""))
    }

    private func isPlain(_ text: Span<UInt8>) -> Bool {
        !escapesSlashes && text.isPlain
    }

    private mutating func appendEscaped(_ text: Span<UInt8>) {
        // Text without escapes is copied in runs.
        var copied = 0
        for index in text.indices where isSpecial(text[index]) {
            var character = text[index]
            var end = index + 1
            if character == 0xC2 {
                // C2 80 to C2 9F are control characters; other sequences with C2 are not.
                guard end < text.count, text[end] < 0xA0 else { continue }
                character = text[end]
                end += 1
            }
            buffer.append(text.extracting(copied..<index))
            appendEscaped(character)
            copied = end
        }
        buffer.append(text.extracting(droppingFirst: copied))
    }

    /// Whether a byte of UTF-8 may need an escape.
    private func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): true
        case UInt8(ascii: "/"): escapesSlashes
        case 0x7F, 0xC2: !followsJSONEncoder
        default: false
        }
    }

    /// Appends the character U+0000…U+009F with that number, escaped.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            buffer.append(UInt8(ascii: "\\"))
            buffer.append(byte)
        case UInt8(ascii: "/") where escapesSlashes:
            buffer.append("\\/")
        case 10: buffer.append("\\n")
        case 13: buffer.append("\\r")
        case 9: buffer.append("\\t")
        case 8 where followsJSONEncoder: buffer.append("\\b")
        case 12 where followsJSONEncoder: buffer.append("\\f")
        case 0x7F where followsJSONEncoder: buffer.append(byte)
        case 0..<0x20, 0x7F...0x9F:
            buffer.append("\\u00")
            appendHexDigit(byte >> 4)
            appendHexDigit(byte & 15)
        default:
            buffer.append(byte)
        }
    }

    private mutating func appendHexDigit(_ value: UInt8) {
        buffer.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }

    private mutating func appendInteger(_ value: Int64) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        buffer.append(decimal: value.magnitude)
    }
}

extension JSONWriter {
    /// Writes a member whose value is a string.
    package mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member whose value is an integer.
    package mutating func member(_ name: String, _ value: Int64) {
        key(name)
        integer(value)
    }

    /// Writes a member whose value is an integer.
    package mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(Int64(value))
    }

    /// Writes a member whose value is a number; `value` must be finite.
    package mutating func member(_ name: String, _ value: Double) {
        key(name)
        number(value)
    }

    /// Writes a member whose value is a Boolean.
    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

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

extension JSONWriter {
    /// Writes an object as the next value; `body` writes its members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes a member that is an object; `body` writes its members.
    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    /// Writes a member that is an array; `body` writes its elements.
    package mutating func array(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        beginArray()
        body(&self)
        endArray()
    }

    /// Writes a member that is an array; `body` writes one element.
    package mutating func array<Element>(
        _ name: String,
        of elements: [Element],
        _ body: (Element, inout JSONWriter) -> Void
    ) {
        array(name) { for element in elements { body(element, &$0) } }
    }
}

extension JSONWriter {
    /// A JSON Schema (draft-07) as indented JSON with a final line feed; `body` writes the members
    /// after the title.
    package static func schema(_ title: String, _ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(isPretty: true)
        writer.object {
            $0.member("$schema", "http://json-schema.org/draft-07/schema#")
            $0.member("title", title)
            body(&$0)
        }
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the keywords of the schema of an object without other members; `properties` writes
    /// the schemas of its members.
    package mutating func closedObject(
        required: [String],
        _ properties: (inout JSONWriter) -> Void
    ) {
        member("type", "object")
        member("additionalProperties", false)
        array("required", of: required) { $1.string($0) }
        object("properties", properties)
    }
}
