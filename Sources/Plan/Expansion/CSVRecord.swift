internal import Diagnostics
internal import SystemKit

/// The records of CSV (RFC 4180 §2): fields between commas, those in quotes with any character in
/// them.
///
/// Stricter than most programs: quotes enclose a whole field or appear nowhere, because any other
/// meaning is a guess.
enum CSVRecord {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// The extent of the record that begins at `start`; nil when the bytes end before its line
    /// feed.
    static func extent(in bytes: Span<UInt8>, from start: Int) -> DataFormat.Extent? {
        var (index, field) = (start, start)
        var fields = 1
        var isPlain = true
        while index < bytes.count {
            switch bytes[index] {
            case comma + 1..<0x80: break
            case lineFeed:
                return DataFormat.Extent(end: index + 1, plainFields: isPlain ? fields : nil)
            case comma:
                fields += 1
                field = index + 1
            case quote:
                isPlain = false
                guard index == field else { break }
                guard let close = closingQuote(in: bytes, from: index + 1) else { return nil }
                index = close
            case carriageReturn:
                if index + 1 < bytes.count, bytes[index + 1] != lineFeed { isPlain = false }
            case 0x80...: isPlain = false
            default: break
            }
            index += 1
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
            fields.append(try text(of: bytes, try range(of: bytes, &index)))
            guard index < bytes.count else { break }
            index += 1
        }
        if let count, fields.count != count { throw try countFault(bytes, count, at: bytes.count) }
        return fields
    }

    /// Whether a record has so many fields and no fault; that costs less than its fields.
    static func isFaultless(_ bytes: Span<UInt8>, count: Int) -> Bool {
        do throws(RowFault) {
            let last = try start(of: count - 1, in: bytes)
            var end = last
            _ = try range(of: bytes, &end)
            return last <= bytes.count && end == bytes.count && bytes.isUTF8
        } catch {
            return false
        }
    }

    /// The range of the text of the field of a number; nil for a text with quotes, which are
    /// doubled, and for a record with a fault up to this field.
    static func plainField(_ number: Int, of bytes: Span<UInt8>) -> Range<Int>? {
        do throws(RowFault) {
            var index = try start(of: number, in: bytes)
            guard index <= bytes.count else { return nil }
            let range = try range(of: bytes, &index)
            return bytes.extracting(range).contains(quote) ? nil : range
        } catch {
            return nil
        }
    }

    /// Where the field of a number begins in a record; after its end when it has fewer fields.
    static func start(of number: Int, in bytes: Span<UInt8>) throws(RowFault) -> Int {
        var index = 0
        for _ in 0..<number {
            _ = try range(of: bytes, &index)
            index += 1
        }
        return index
    }

    /// Goes from the beginning of a field to the comma after it or the end; returns the range of
    /// its text, in which quotes are doubled.
    private static func range(
        of bytes: Span<UInt8>,
        _ index: inout Int
    ) throws(RowFault) -> Range<Int> {
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
            return start..<index
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
        return start + 1..<close
    }

    /// The text of a range in which every quote is doubled.
    private static func text(
        of bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(RowFault) -> String {
        let written = bytes.extracting(range)
        guard written.contains(quote) else {
            guard let text = written.text else {
                throw .notUTF8(in: bytes, from: range.lowerBound)
            }
            return text
        }
        var plain: [UInt8] = []
        plain.reserveCapacity(range.count)
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
