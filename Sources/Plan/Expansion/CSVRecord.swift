internal import Diagnostics

/// The records of CSV (RFC 4180 §2): fields between commas, those in quotes with any character in
/// them.
///
/// Stricter than most programs: quotes enclose a whole field or appear nowhere, because any other
/// meaning is a guess.
enum CSVRecord {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Where the record that begins at `start` ends, after its line feed; nil when the bytes end
    /// first.
    static func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        var isAtStart = true
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == 10 { return index }
            guard byte == quote, isAtStart else {
                isAtStart = byte == comma
                continue
            }
            guard let close = closingQuote(in: bytes, from: index) else { return nil }
            index = close + 1
            isAtStart = false
        }
        return nil
    }

    /// The fields of a record without the end of its line; with a `count` there must be so many.
    static func fields(of bytes: Span<UInt8>, count: Int? = nil) throws(RowFault) -> [String] {
        var fields: [String] = []
        fields.reserveCapacity(count ?? 8)
        var index = 0
        while true {
            if let count, fields.count == count { throw try countFault(bytes, count, at: index) }
            fields.append(try field(of: bytes, &index))
            guard index < bytes.count else { break }
            index += 1
        }
        if let count, fields.count != count { throw try countFault(bytes, count, at: bytes.count) }
        return fields
    }

    /// Whether a record has so many fields, all of ASCII without quotes and carriage returns.
    ///
    /// Then it has no fault.
    static func isPlain(_ bytes: Span<UInt8>, count: Int) -> Bool {
        var commas = 0
        for index in bytes.indices {
            switch bytes[index] {
            case comma: commas += 1
            case quote, carriageReturn, 0x80...: return false
            default: break
            }
        }
        return commas == count - 1
    }

    /// The bytes of the field with a given number in a valid record; nil if that field or an
    /// earlier one has quotes.
    static func plainField(_ number: Int, of record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var (start, left) = (record.startIndex, number)
        for index in record.indices {
            switch record[index] {
            case quote: return nil
            case comma:
                guard left > 0 else { return record[start..<index] }
                left -= 1
                start = index + 1
            default: break
            }
        }
        return left == 0 ? record[start...] : nil
    }

    /// Where the field with a given number, which exists, begins in a valid record.
    static func start(of number: Int, in bytes: Span<UInt8>) throws(RowFault) -> Int {
        var index = 0
        for _ in 0..<number {
            _ = try field(of: bytes, &index)
            index += 1
        }
        return index
    }

    /// Reads the field at `index`, up to the comma after it or the end.
    private static func field(
        of bytes: Span<UInt8>,
        _ index: inout Int
    ) throws(RowFault) -> String {
        let start = index
        guard index < bytes.count, bytes[index] == quote else {
            while index < bytes.count, bytes[index] != comma {
                guard bytes[index] != quote else {
                    throw RowFault(
                        "a quote is inside a field that does not begin with a quote",
                        at: index,
                        help: "put the whole field in quotes and double the quotes inside it"
                    )
                }
                guard bytes[index] != carriageReturn else {
                    throw RowFault(
                        "a carriage return is inside a field without quotes",
                        at: index,
                        help: "end lines with LF or CR LF, or put the field in quotes"
                    )
                }
                index += 1
            }
            return try text(of: bytes, start..<index)
        }
        guard let close = closingQuote(in: bytes, from: start + 1) else {
            throw RowFault("the quote is never closed", at: start)
        }
        index = close + 1
        guard index == bytes.count || bytes[index] == comma else {
            throw RowFault(
                "text follows the closing quote of a field",
                at: index,
                help: "double the quotes inside a field"
            )
        }
        return try quotedText(of: bytes, start + 1..<close)
    }

    /// The text of a range in which every quote is doubled.
    private static func quotedText(
        of bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(RowFault) -> String {
        let quotes = range.count { bytes[$0] == quote }
        guard quotes > 0 else { return try text(of: bytes, range) }
        var plain: [UInt8] = []
        plain.reserveCapacity(range.count - quotes / 2)
        var isSecond = false
        for index in range {
            isSecond = bytes[index] == quote && !isSecond
            if !isSecond || bytes[index] != quote { plain.append(bytes[index]) }
        }
        guard let text = plain.span.text else { throw .notUTF8(in: bytes, from: range.lowerBound) }
        return text
    }

    /// The quote that closes a field; a doubled one is text.
    private static func closingQuote(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == quote {
                guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index }
                index += 1
            }
            index += 1
        }
        return nil
    }

    private static func text(
        of bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(RowFault) -> String {
        guard let text = bytes.extracting(range).text else {
            throw .notUTF8(in: bytes, from: range.lowerBound)
        }
        return text
    }

    /// The fault of a row with another number of fields, or the fault of one of its fields.
    private static func countFault(
        _ bytes: Span<UInt8>,
        _ count: Int,
        at offset: Int
    ) throws(RowFault) -> RowFault {
        let found = try fields(of: bytes).count
        return RowFault(
            "the row has \(found) \(found == 1 ? "field" : "fields"), the header \(count)",
            at: offset
        )
    }
}

/// A fault in a row of a data file, and its place in the row.
struct RowFault: Error, Hashable {
    /// As a diagnostic's message.
    var message: String
    /// In bytes from the row's beginning.
    var offset: Int
    var help: String?

    init(_ message: String, at offset: Int, help: String? = nil) {
        self.message = message
        self.offset = offset
        self.help = help
    }

    /// A fault at the first byte that begins no scalar.
    static func notUTF8(in bytes: Span<UInt8>, from start: Int) -> RowFault {
        var index = start
        while let scalar = bytes.scalar(at: index) { index += scalar.length }
        return RowFault("the row is not UTF-8", at: index)
    }
}
