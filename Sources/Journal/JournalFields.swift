internal import TransferModel

/// Encodes the values in an entry's content.
extension [UInt8] {
    mutating func add(_ number: some FixedWidthInteger & Sendable) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
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

/// Integers in journals, lowest byte first.
extension FixedWidthInteger where Self: Sendable {
    var littleEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.add(self)
        return bytes
    }

    /// Takes the number off the front; nil when there are too few bytes, which then stay.
    init?(takenFrom bytes: inout ArraySlice<UInt8>) {
        let width = Self.bitWidth / 8
        guard bytes.count >= width else { return nil }
        self = bytes.prefix(width).reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
        bytes.removeFirst(width)
    }
}

// The binary form of a transfer's state in a journal.
extension [UInt8] {
    mutating func add(_ transfer: EarlierTransfer) {
        add(UInt32(clamping: transfer.attempts))
        add(UInt32(clamping: transfer.failures))
        add(transfer.deadline) { $0.add($1) }
        add(transfer.wasCut)
        add(transfer.hadKey)
        add(transfer.end) { $0.add($1) }
    }

    mutating func add(_ end: EarlierTransfer.End) {
        add(end.runIdentifier)
        add(end.date)
        add(end.outcome.rawValue)
        add(end.error) { $0.add($1) }
        add(end.file) { bytes, file in
            bytes.add(file.path)
            bytes.add(file.size)
            bytes.add(file.sha256) { $0.add($1) }
        }
        add(end.voucher?.rawValue) { $0.add($1) }
    }

    private mutating func add(_ failure: TransferFailure) {
        add(failure.kind.rawValue)
        add(failure.phase.rawValue)
        add(failure.detail)
        add(failure.help) { $0.add($1) }
        add(failure.urlError) { bytes, code in
            bytes.add(Int64(code.code))
            bytes.add(code.name)
        }
        for number in [failure.curlCode, failure.osErrno, failure.httpStatus] {
            add(number) { $0.add(Int64($1)) }
        }
        for flag in [
            failure.isKnownUnprocessed, failure.followsOrder, failure.isOutcomeUnknown,
            failure.isPermanent,
        ] {
            add(flag)
        }
    }
}

extension JournalFields {
    mutating func transfer() throws(Unreadable) -> EarlierTransfer {
        EarlierTransfer(
            attempts: Int(try number(UInt32.self)),
            failures: Int(try number(UInt32.self)),
            deadline: try optional { (fields) throws(Unreadable) in try fields.date() },
            wasCut: try flag(),
            hadKey: try flag(),
            end: try optional { (fields) throws(Unreadable) in try fields.end() }
        )
    }

    mutating func end() throws(Unreadable) -> EarlierTransfer.End {
        var end = EarlierTransfer.End(
            runIdentifier: try text(),
            date: try date(),
            outcome: try name()
        )
        end.error = try optional { (fields) throws(Unreadable) in try fields.failure() }
        end.file = try optional { (fields) throws(Unreadable) in
            PublishedFile(
                path: try fields.text(),
                size: try fields.number(),
                sha256: try fields.optional { (fields) throws(Unreadable) in try fields.text() }
            )
        }
        end.voucher = try optional { (fields) throws(Unreadable) in try fields.name() }
        return end
    }

    private mutating func failure() throws(Unreadable) -> TransferFailure {
        var failure = TransferFailure(kind: try name(), phase: try name(), detail: try text())
        failure.help = try optional { (fields) throws(Unreadable) in try fields.text() }
        failure.urlError = try optional { (fields) throws(Unreadable) in
            let code = Int(clamping: try fields.number(Int64.self))
            // The code already determines the name.
            _ = try fields.text()
            return TransferFailure.URLErrorCode(code: code)
        }
        failure.curlCode = try optionalNumber()
        failure.osErrno = try optionalNumber()
        failure.httpStatus = try optionalNumber()
        failure.isKnownUnprocessed = try flag()
        failure.followsOrder = try flag()
        failure.isOutcomeUnknown = try flag()
        failure.isPermanent = try flag()
        return failure
    }

    private mutating func optionalNumber() throws(Unreadable) -> Int? {
        try optional { (fields) throws(Unreadable) in
            Int(clamping: try fields.number(Int64.self))
        }
    }
}
