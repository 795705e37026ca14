/// One HTTP field line: a name and its value, without the line end.
package struct HeaderField: Sendable, Hashable {
    /// The name as written; compared without regard to case.
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// An ordered list of HTTP field lines that keeps repeats and the bytes as they came.
///
/// Held as one buffer, so that a response head costs one allocation. Values are bytes; as text, each byte is
/// the character U+0000…U+00FF of the same number.
package struct HeaderFields: Sendable, Hashable {
    /// The field lines, each ended by a line feed.
    private var storage: [UInt8] = []
    /// The number of field lines.
    package private(set) var count = 0

    package init() {}

    package init(_ fields: [HeaderField]) {
        for field in fields { append(field) }
    }

    package var isEmpty: Bool { count == 0 }

    /// The bytes of all lines together.
    package var byteCount: Int { storage.count }

    package mutating func reserveCapacity(_ bytes: Int) {
        storage.reserveCapacity(bytes)
    }

    package mutating func append(_ field: HeaderField) {
        storage.append(contentsOf: field.name.utf8)
        storage.append(UInt8(ascii: ":"))
        storage.append(UInt8(ascii: " "))
        for scalar in field.value.unicodeScalars {
            if scalar.value < 0x100, scalar != "\n", scalar != "\r" {
                storage.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                storage.append(contentsOf: String(scalar).utf8.filter { $0 != 10 && $0 != 13 })
            }
        }
        storage.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Appends one raw line as it came from the peer, with or without its line end.
    ///
    /// Returns false, and appends nothing, for a line without a colon or with an empty name.
    @discardableResult
    package mutating func append(line: Span<UInt8>) -> Bool {
        var end = line.count
        while end > 0, line[end - 1] == 10 || line[end - 1] == 13 { end -= 1 }
        var colon = 0
        while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon > 0, colon < end else { return false }
        for index in 0..<end { storage.append(line[index] == 10 ? 32 : line[index]) }
        storage.append(UInt8(ascii: "\n"))
        count += 1
        return true
    }

    /// Calls `body` for each line in order with the bytes of its name and of its trimmed value.
    package func forEach(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        var start = 0
        while start < storage.count {
            var colon = start
            while storage[colon] != UInt8(ascii: ":") { colon += 1 }
            var end = colon
            while storage[end] != 10 { end += 1 }
            let next = end + 1
            var valueStart = colon + 1
            while valueStart < end, Self.isBlank(storage[valueStart]) { valueStart += 1 }
            while end > valueStart, Self.isBlank(storage[end - 1]) { end -= 1 }
            body(storage[start..<colon], storage[valueStart..<end])
            start = next
        }
    }

    /// The values of every line of that name, in order; the name is compared without regard to case.
    package func values(of name: String) -> [String] {
        var found: [String] = []
        forEach { candidate, value in
            if Self.isEqual(candidate, name) { found.append(Self.text(value)) }
        }
        return found
    }

    /// The value of the first line of that name.
    package subscript(name: String) -> String? {
        values(of: name).first
    }

    /// The lines as name and value pairs.
    package var fields: [HeaderField] {
        var result: [HeaderField] = []
        result.reserveCapacity(count)
        forEach { result.append(HeaderField(name: Self.text($0), value: Self.text($1))) }
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

    private static func isEqual(_ bytes: ArraySlice<UInt8>, _ name: String) -> Bool {
        guard bytes.count == name.utf8.count else { return false }
        return zip(bytes, name.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    /// The byte with `A`…`Z` made `a`…`z`.
    package var asciiLowercased: UInt8 {
        (65...90).contains(self) ? self | 0x20 : self
    }
}
