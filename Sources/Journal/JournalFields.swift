internal import TransferModel

/// Encodes the values in an entry's content.
extension [UInt8] {
    mutating func add(_ number: some FixedWidthInteger & Sendable) {
        self += number.littleEndianBytes
    }

    mutating func add(_ isTrue: Bool) { append(isTrue ? 1 : 0) }

    /// Appends the length of a text in bytes, and the text.
    mutating func add(_ text: String) {
        add(UInt32(truncatingIfNeeded: text.utf8.count))
        self += text.utf8
    }

    mutating func add(_ date: Timestamp) { add(date.microseconds) }

    /// Appends whether there is a value, and the value.
    mutating func add<Value>(_ value: Value?, _ add: (inout [UInt8], Value) -> Void) {
        self.add(value != nil)
        if let value { add(&self, value) }
    }
}

/// Decodes the values of an entry's content from the front.
struct JournalFields {
    /// The content is too short or invalid.
    struct Unreadable: Error {}

    private(set) var rest: ArraySlice<UInt8>

    init(_ content: [UInt8]) { rest = content[...] }

    mutating func number<Number: FixedWidthInteger & Sendable>(
        _ type: Number.Type = Number.self
    ) throws(Unreadable) -> Number {
        guard let number = Number(takenFrom: &rest) else { throw Unreadable() }
        return number
    }

    mutating func flag() throws(Unreadable) -> Bool { try number(UInt8.self) != 0 }

    mutating func text() throws(Unreadable) -> String {
        let count = Int(try number(UInt32.self))
        guard rest.count >= count else { throw Unreadable() }
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    mutating func date() throws(Unreadable) -> Timestamp {
        Timestamp(microseconds: try number())
    }

    /// A case of an enumeration, by its raw value.
    mutating func name<Name: RawRepresentable>(
        _ type: Name.Type = Name.self
    ) throws(Unreadable) -> Name where Name.RawValue == String {
        guard let name = Name(rawValue: try text()) else { throw Unreadable() }
        return name
    }

    mutating func optional<Value>(
        _ take: (inout JournalFields) throws(Unreadable) -> Value
    ) throws(Unreadable) -> Value? {
        try flag() ? try take(&self) : nil
    }
}
