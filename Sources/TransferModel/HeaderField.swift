internal import SystemKit

/// One HTTP field line: a name and its value, without the line end.
package struct HeaderField: Sendable, Hashable {
    /// The name as written; compared without regard to case.
    package var name: String
    /// The value; `HeaderFields.append` encodes it in UTF-8.
    package var value: String
    /// Whether part of the value was captured from a response, so that it may identify a user.
    package var isCaptured: Bool
    /// The digests of the request's body in the value, in order; none in most fields.
    package var bodyDigests: [BodyDigest] = []

    /// Creates a field line without checking its text.
    package init(name: String, value: String, isCaptured: Bool = false) {
        self.name = name
        self.value = value
        self.isCaptured = isCaptured
    }

    /// Whether both have the same bytes on the wire.
    package static func == (left: HeaderField, right: HeaderField) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
    }

    /// Hashes name and value, the only properties that `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }

    /// Fields that may go to another origin, besides `Accept-…` and `If-…`: others may hold
    /// secrets.
    private static let harmlessNames: Set<String> = [
        "accept", "cache-control", "range", "user-agent",
    ]

    /// Whether the field may go to an origin other than the job's.
    package var mayCrossOrigins: Bool {
        let name = name.lowercased()
        return Self.harmlessNames.contains(name) || name.hasBytePrefix("accept-")
            || name.hasBytePrefix("if-")
    }
}

/// A digest of the request's body in the value of a header field.
package struct BodyDigest: Sendable, Hashable {
    /// The algorithm, and how the digest is written, by its name in the job file: in hexadecimal
    /// digits, unless it says Base64.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case sha256
        case sha512
        case md5
        case sha256Base64
        case sha512Base64
        case md5Base64
    }

    /// How the digest is written.
    package var form: Form
    /// The text that the digest replaces, offsets in UTF-8 in the value.
    package var range: Range<Int>

    /// Creates a digest that is not known yet.
    package init(form: Form, range: Range<Int>) {
        self.form = form
        self.range = range
    }
}

extension HeaderField {
    /// Whether the field has a name, ignoring case.
    package func isNamed(_ name: String) -> Bool { self.name.isEqualIgnoringCase(name) }

    /// The field with its digests; `texts` has one for each.
    package func filled(with texts: [BodyDigest.Form: String]) -> HeaderField {
        var field = self
        for digest in bodyDigests.reversed() {
            let text = field.value.utf8
            let start = text.index(text.startIndex, offsetBy: digest.range.lowerBound)
            let end = text.index(start, offsetBy: digest.range.count)
            field.value.replaceSubrange(start..<end, with: texts[digest.form] ?? "")
        }
        return field
    }

    /// Whether the value has only spaces and tabs, which are not part of a value (RFC 9110 §5.5).
    package var isBlank: Bool { value.utf8.allSatisfy(\.isBlank) }
}

extension [HeaderField] {
    /// Whether a field has a name, ignoring case.
    package func contains(_ name: String) -> Bool {
        contains { $0.isNamed(name) }
    }

    /// The values of all fields with a name, ignoring case, in order.
    package func values(of name: String) -> [String] {
        compactMap { $0.isNamed(name) ? $0.value : nil }
    }
}

extension String {
    /// Whether both are equal, ignoring the case of ASCII letters.
    package func isEqualIgnoringCase(_ other: String) -> Bool {
        utf8.span.isEqualIgnoringCase(other.utf8.span)
    }
}

/// An ordered list of HTTP field lines that keeps duplicates and the received bytes.
///
/// One buffer, so that a response head costs one allocation. Values are bytes; as text, each byte
/// becomes the character U+0000…U+00FF with the same number.
package struct HeaderFields: Sendable, Hashable {
    /// The field lines, each ended by a line feed.
    private var storage: [UInt8] = []
    /// The number of field lines.
    package private(set) var count = 0

    /// Creates an empty list.
    package init() {}

    /// Creates a list of fields in their order.
    package init(_ fields: [HeaderField]) {
        storage.reserveCapacity(
            fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + ": \n".utf8.count }
        )
        for field in fields { append(field) }
    }

    /// Takes the `lines` of another list, each non-empty and with its line feed, and their `count`,
    /// without checks.
    package init(lines: Span<UInt8>, count: Int) {
        storage.append(lines)
        self.count = count
    }

    /// Compares all bytes at once, because a report needs several comparisons for every task.
    package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.storage.span.equals(right.storage.span)
    }

    /// Whether the list has no field lines.
    package var isEmpty: Bool { count == 0 }

    /// All field lines, each ended by a line feed.
    package var lines: [UInt8] { storage }

    /// Reserves memory for this many bytes of field lines.
    package mutating func reserveCapacity(_ bytes: Int) {
        storage.reserveCapacity(bytes)
    }

    /// Appends a field in UTF-8 for sending, without line ends in it.
    package mutating func append(_ field: HeaderField) {
        append(inOneLine: field.name.utf8.span)
        storage.append(UInt8(ascii: ":"))
        storage.append(UInt8(ascii: " "))
        append(inOneLine: field.value.utf8.span)
        storage.append(UInt8(ascii: "\n"))
        count += 1
    }

    private mutating func append(inOneLine text: Span<UInt8>) {
        guard text.contains(10) || text.contains(13) else { return storage.append(text) }
        for index in text.indices where text[index] != 10 && text[index] != 13 {
            storage.append(text[index])
        }
    }

    /// Appends one raw line from the peer, with or without its line end.
    ///
    /// A line that begins with a blank continues the value before it (RFC 9112 §5.2). Returns
    /// false, and appends nothing, for a line without a colon or with an empty name.
    @discardableResult
    package mutating func append(line: Span<UInt8>) -> Bool {
        var end = line.count
        while end > 0, line[end - 1] == 10 || line[end - 1] == 13 { end -= 1 }
        guard end > 0 else { return false }
        if Self.isBlank(line[0]) {
            guard count > 0 else { return false }
            storage.removeLast()
        } else {
            guard line[0] != UInt8(ascii: ":"),
                line.extracting(first: end).contains(UInt8(ascii: ":"))
            else { return false }
            count += 1
        }
        let start = storage.count
        storage.append(line.extracting(first: end))
        if line.extracting(first: end).contains(UInt8(ascii: "\n")) {
            for index in start..<storage.count where storage[index] == 10 { storage[index] = 32 }
        }
        storage.append(UInt8(ascii: "\n"))
        return true
    }

    /// Appends complete field lines as sent, each with its line end, up to the first empty line.
    ///
    /// For lines that this process wrote: they are not checked.
    package mutating func append(sentLines lines: Span<UInt8>) {
        storage.reserveCapacity(storage.count + lines.count)
        var rest = lines
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest.extracting(first: end > 0 && rest[end - 1] == 13 ? end - 1 : end)
            if line.isEmpty { return }
            append(sentLine: line)
            rest = rest.extracting(droppingFirst: end + 1)
        }
    }

    /// Appends one such line without its line end.
    package mutating func append(sentLine line: Span<UInt8>) {
        storage.append(line)
        storage.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Calls `body` for each line in order with the bytes of its name and trimmed value.
    package func forEach(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let bytes = storage.span
        var start = 0
        while let line = nextLine(from: &start) {
            body(bytes.extracting(line.name), bytes.extracting(line.value))
        }
    }

    /// The values of all lines with a name, ignoring case, in order.
    package func values(of name: String) -> [String] {
        allValues(of: name).map(Self.text)
    }

    /// The bytes of all values of a name.
    package func allValues(of name: String) -> [ArraySlice<UInt8>] {
        var found: [ArraySlice<UInt8>] = []
        var start = 0
        while let value = nextValue(of: name, from: &start) { found.append(storage[value]) }
        return found
    }

    /// The value of the first line with a name.
    package subscript(name: String) -> String? {
        firstValue(of: name).map(Self.text)
    }

    /// The bytes of the value of the first line with a name.
    package func firstValue(of name: String) -> ArraySlice<UInt8>? {
        var start = 0
        return nextValue(of: name, from: &start).map { storage[$0] }
    }

    /// The range of the next trimmed value of a name, searching from the line at `start`; moves
    /// `start` past that line.
    private func nextValue(of name: String, from start: inout Int) -> Range<Int>? {
        let bytes = storage.span
        let wanted = name.utf8.span
        while start + wanted.count < bytes.count {
            let line = start
            let rest = bytes.extracting(droppingFirst: line)
            let end = line + (rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count)
            start = end + 1
            let colon = line + wanted.count
            if colon < end, bytes[colon] == UInt8(ascii: ":"),
                rest.extracting(first: wanted.count).isEqualIgnoringCase(wanted)
            {
                return Self.trimmed(colon + 1..<end, bytes)
            }
        }
        return nil
    }

    /// The ranges of the name and the trimmed value of the line at `start` in `lines`; moves
    /// `start`, initially 0, to the next line.
    package func nextLine(from start: inout Int) -> (name: Range<Int>, value: Range<Int>)? {
        let bytes = storage.span
        let rest = bytes.extracting(droppingFirst: start)
        guard let length = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let colon = start + length
        let value = bytes.extracting(droppingFirst: colon + 1)
        let end = colon + 1 + (value.firstIndex(of: UInt8(ascii: "\n")) ?? value.count)
        let name = start..<colon
        start = end + 1
        return (name, Self.trimmed(colon + 1..<end, bytes))
    }

    /// The range without surrounding blanks.
    private static func trimmed(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        var (first, end) = (range.lowerBound, range.upperBound)
        while first < end, isBlank(bytes[first]) { first += 1 }
        while end > first, isBlank(bytes[end - 1]) { end -= 1 }
        return first..<end
    }

    /// The lines as name and value pairs.
    package var fields: [HeaderField] {
        var result: [HeaderField] = []
        result.reserveCapacity(count)
        var start = 0
        while let line = nextLine(from: &start) {
            result.append(
                HeaderField(
                    name: Self.text(storage[line.name]),
                    value: Self.text(storage[line.value])
                )
            )
        }
        return result
    }

    /// The bytes as text, each byte as one character U+0000…U+00FF.
    package static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var result = ""
        for byte in bytes { result.unicodeScalars.append(Unicode.Scalar(byte)) }
        return result
    }

    /// Also the CR of a line break, since lines are split at LF.
    private static func isBlank(_ byte: UInt8) -> Bool { byte.isBlank || byte == 13 }
}

extension Span<UInt8> {
    /// Whether both are equal, ignoring the case of ASCII letters, as field names do.
    package func isEqualIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] {
            if self[index].asciiLowercased != other[index].asciiLowercased { return false }
        }
        return true
    }
}

extension Span<UInt8> {
    /// Whether the bytes are a token, like field names and methods (RFC 9110 §5.6.2).
    package var isToken: Bool {
        for index in indices where !self[index].isTokenByte { return false }
        return !isEmpty
    }
}

extension UInt8 {
    /// The byte with `A`…`Z` made `a`…`z`.
    package var asciiLowercased: UInt8 {
        isUppercase ? self | 0x20 : self
    }
}
