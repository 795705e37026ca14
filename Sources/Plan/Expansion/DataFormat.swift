internal import Diagnostics
internal import JSON
internal import JobFile
internal import SystemKit

/// How a data file is made of rows.
///
/// Lines end with LF or CR LF; empty ones are no rows.
enum DataFormat: String, Sendable {
    /// RFC 4180, with a header row.
    case csv
    /// One JSON value a line.
    case jsonLines
    /// One text a line.
    case lines

    /// The limit of one row, bytes.
    static let longestRow = 1 << 20

    /// The extent of a row in the bytes of a file.
    struct Extent: Hashable {
        /// After its line feed.
        var end: Int
        /// The number of fields of a CSV record that is ASCII without quotes, and without carriage
        /// returns but one at its end: of all faults it can only have a wrong number of them.
        var plainFields: Int?
    }

    /// The extent of the row that begins at `start`; nil when the bytes end before its line feed.
    func extent(in bytes: Span<UInt8>, from start: Int) -> Extent? {
        if self == .csv { return CSVRecord.extent(in: bytes, from: start) }
        let rest = bytes.extracting(start..<bytes.count)
        return rest.firstIndex(of: 10).map { Extent(end: start + $0 + 1) }
    }

    /// The row in a text of `content(of:)`; `columns` are the columns of a CSV file.
    func row(_ bytes: ArraySlice<UInt8>, columns: [String]) throws(RowFault) -> Row {
        switch self {
        case .csv:
            let fields = try CSVRecord.fields(of: bytes.span, count: columns.count)
            return .record(columns: columns, fields: fields)
        case .lines:
            guard let text = bytes.span.text else { throw .notUTF8(in: bytes.span, from: 0) }
            return .scalar(ScalarValue(text: text, type: .string, isFilledIn: true))
        case .jsonLines:
            do throws(JSONSyntaxError) {
                return .json(try JSONValue(bytes: Array(bytes)))
            } catch {
                throw RowFault(error.reason, at: error.offset)
            }
        }
    }

    /// Finds the fault of the row in a text of `content(of:)`, without making its values.
    func check(_ bytes: ArraySlice<UInt8>, columns: [String]) throws(RowFault) {
        if self == .csv, CSVRecord.isFaultless(bytes.span, count: columns.count) { return }
        _ = try row(bytes, columns: columns)
    }

    /// A row's bytes without the end of its line; the last line of a file may lack the line feed.
    static func content(of row: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = row.last == 10 ? row.dropLast() : row
        return line.last == 13 ? line.dropLast() : line
    }

    /// The text of the next row in bytes that have only whole rows; skips empty lines, and moves
    /// `start` after the row.
    func nextText(in bytes: [UInt8], from start: inout Int) -> ArraySlice<UInt8>? {
        while start < bytes.count {
            let end = extent(in: bytes.span, from: start)?.end ?? bytes.count
            let content = Self.content(of: bytes[start..<end])
            start = end
            if !content.isEmpty { return content }
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Whether the bytes are UTF-8.
    var isUTF8: Bool {
        do {
            _ = try UTF8Span(validating: self)
            return true
        } catch {
            return false
        }
    }

    /// The bytes as text; nil when they are not UTF-8.
    var text: String? {
        do {
            return String(copying: try UTF8Span(validating: self))
        } catch {
            return nil
        }
    }
}
