internal import SystemKit

/// One HTTP field line: a name and its value, without the line end.
package struct HeaderField: Sendable, Hashable {
    /// The name as written; compared without regard to case.
    package var name: String
    package var value: String
    /// Whether some of the value was captured from a response, so that it may say who asks; nobody
    /// sees that in the field.
    package var isCaptured: Bool

    package init(name: String, value: String, isCaptured: Bool = false) {
        self.name = name
        self.value = value
        self.isCaptured = isCaptured
    }

    /// Whether both are the same bytes on the wire.
    package static func == (left: HeaderField, right: HeaderField) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }

    /// Names of fields that may go to another origin, besides `Accept-…` and `If-…`: any other one
    /// may hold a secret.
    private static let harmlessNames: Set<String> = [
        "accept", "cache-control", "range", "user-agent",
    ]

    /// Whether the field may go to an origin that the job did not write it for.
    package var mayCrossOrigins: Bool {
        let name = name.lowercased()
        return Self.harmlessNames.contains(name) || name.hasPrefix("accept-")
            || name.hasPrefix("if-")
    }
}

extension HeaderField {
    /// Whether the field has that name, capitals aside.
    package func isNamed(_ name: String) -> Bool { self.name.isEqualIgnoringCase(name) }

    /// Whether the value has nothing but spaces and tabs, which are no part of a value (RFC 9110
    /// §5.5).
    package var isBlank: Bool { value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
}

extension [HeaderField] {
    /// Whether a field has that name, capitals aside.
    package func contains(_ name: String) -> Bool {
        contains { $0.isNamed(name) }
    }

    /// The values of every field of that name, capitals aside, in order.
    package func values(of name: String) -> [String] {
        compactMap { $0.isNamed(name) ? $0.value : nil }
    }
}

extension String {
    /// Whether both are equal but for the case of ASCII letters.
    fileprivate func isEqualIgnoringCase(_ other: String) -> Bool {
        utf8.span.isEqualIgnoringCase(other.utf8.span)
    }
}

/// An ordered list of HTTP field lines that keeps repeats and the bytes as they came.
///
/// Held as one buffer, so that a response head costs one allocation. Values are bytes; as text,
/// each byte is the character U+0000…U+00FF of the same number.
package struct HeaderFields: Sendable, Hashable {
    /// The field lines, each ended by a line feed.
    private var storage: [UInt8] = []
    /// The number of field lines.
    package private(set) var count = 0

    package init() {}

    package init(_ fields: [HeaderField]) {
        for field in fields { append(field) }
    }

    /// Takes the `lines` of another list, each with its line feed and none empty, and its `count`;
    /// nothing in them is checked.
    package init(lines: Span<UInt8>, count: Int) {
        storage.append(lines)
        self.count = count
    }

    package var isEmpty: Bool { count == 0 }

    /// All field lines, each ended by a line feed.
    package var lines: [UInt8] { storage }

    package mutating func reserveCapacity(_ bytes: Int) {
        storage.reserveCapacity(bytes)
    }

    /// Appends a field as it is sent, in UTF-8; line ends within it are dropped.
    package mutating func append(_ field: HeaderField) {
        for byte in field.name.utf8 where byte != 10 && byte != 13 { storage.append(byte) }
        storage.append(UInt8(ascii: ":"))
        storage.append(UInt8(ascii: " "))
        for byte in field.value.utf8 where byte != 10 && byte != 13 { storage.append(byte) }
        storage.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Appends one raw line as it came from the peer, with or without its line end.
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

    /// Appends whole field lines as they were sent, each with its line end, up to the first empty
    /// one.
    ///
    /// For lines that this process wrote: nothing in them is checked.
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

    /// Appends one such line, without its end.
    package mutating func append(sentLine line: Span<UInt8>) {
        storage.append(line)
        storage.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Calls `body` for each line in order with the bytes of its name and of its trimmed value.
    package func forEach(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let bytes = storage.span
        var start = 0
        while let line = nextLine(from: &start) {
            body(bytes.extracting(line.name), bytes.extracting(line.value))
        }
    }

    /// The values of every line of that name, in order; the name is compared without regard to
    /// case.
    package func values(of name: String) -> [String] {
        allValues(of: name).map(Self.text)
    }

    /// The bytes of those values.
    package func allValues(of name: String) -> [ArraySlice<UInt8>] {
        var found: [ArraySlice<UInt8>] = []
        var start = 0
        while let value = nextValue(of: name, from: &start) { found.append(storage[value]) }
        return found
    }

    /// The value of the first line of that name.
    package subscript(name: String) -> String? {
        firstValue(of: name).map(Self.text)
    }

    /// The bytes of the value of the first line of that name.
    package func firstValue(of name: String) -> ArraySlice<UInt8>? {
        var start = 0
        return nextValue(of: name, from: &start).map { storage[$0] }
    }

    /// Where the next line of that name has its trimmed value, from the line that begins at `start`
    /// on; moves `start` behind it.
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

    /// Where in `lines` the line that begins at `start` has its name and its trimmed value; moves
    /// `start` to the next one, which is at first 0.
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

    /// The part without the blanks around it.
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

    /// The bytes as text, each byte one character of U+0000…U+00FF.
    package static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var result = ""
        for byte in bytes { result.unicodeScalars.append(Unicode.Scalar(byte)) }
        return result
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 13
    }
}

extension Span<UInt8> {
    /// Whether both are equal but for the case of ASCII letters, as names of fields are.
    package func isEqualIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased {
            return false
        }
        return true
    }
}

extension Span<UInt8> {
    /// Whether the bytes are a token, as names of fields and methods are (RFC 9110 §5.6.2).
    package var isToken: Bool {
        for index in indices where !self[index].isTokenByte { return false }
        return !isEmpty
    }
}

extension UInt8 {
    /// Whether the byte may stand in a token (RFC 9110 §5.6.2).
    package var isTokenByte: Bool {
        switch self {
        case 48...57, 65...90, 94...122: true  // digits, letters, ^ _ `
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C, 0x7E: true  // ! # $ % & ' * + - . | ~
        default: false
        }
    }

    /// The byte with `A`…`Z` made `a`…`z`.
    package var asciiLowercased: UInt8 {
        (65...90).contains(self) ? self | 0x20 : self
    }
}
