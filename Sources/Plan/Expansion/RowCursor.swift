internal import JobFile

/// Makes the rows of a source; successive rows are cheap, because a piece of the file is kept from
/// one row to the next.
struct RowCursor {
    private let source: RowSource
    private var bytes: [UInt8] = []
    /// Rows that `bytes` hold.
    private var rows = 0..<0
    /// The row that begins at `start` of `bytes`.
    private var next = 0
    private var start = 0
    /// The last row that was found, and its place in `bytes`.
    private var last: (row: Int, range: Range<Int>)?

    init(_ source: RowSource) { self.source = source }

    /// The row of a number below the source's count.
    mutating func row(at number: Int) throws(DataRows.Failure) -> Row {
        switch source.form {
        case .items(let nodes): return .node(nodes[number])
        case .range(let range):
            let value = range.number(at: number)
            return .scalar(
                ScalarValue(text: "\(value)", type: .integer(Int64(value)), isFilledIn: true)
            )
        case .matrix(let matrix):
            return .combination(names: matrix.names, values: matrix.values(at: number))
        case .data(let data): return try row(at: number, of: data)
        case .files(let rows): return .file(rows.files[number])
        case .faulty: throw .unreadable
        }
    }

    /// The key of a row if it is printable ASCII and a CSV file has it without quotes; nil for any
    /// other row.
    ///
    /// That costs less than the row.
    mutating func plainKey(at number: Int) -> ArraySlice<UInt8>? {
        guard source.key == nil, let column = source.keyColumn, case .data(let data) = source.form,
            let text = try? text(at: number, of: data),
            let key = CSVRecord.plainField(column, of: text),
            (1...RowKey.longest).contains(key.count), key.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return key
    }

    private mutating func row(
        at number: Int,
        of data: DataRows
    ) throws(DataRows.Failure) -> Row {
        let text = try text(at: number, of: data)
        do {
            return try data.format.row(text, columns: data.columns)
        } catch {
            // The row was valid when the file was scanned.
            throw .changed
        }
    }

    private mutating func text(
        at number: Int,
        of data: DataRows
    ) throws(DataRows.Failure) -> ArraySlice<UInt8> {
        if let last, last.row == number { return bytes[last.range] }
        if !rows.contains(number) || number < next { try load(number, of: data) }
        while let text = data.format.nextText(in: bytes, from: &start) {
            next += 1
            guard next > number else { continue }
            last = (number, text.startIndex..<text.endIndex)
            return text
        }
        throw .changed
    }

    private mutating func load(_ number: Int, of data: DataRows) throws(DataRows.Failure) {
        let (_, rows, range) = data.index.block(of: number)
        guard let bytes = data.file.read(at: range.lowerBound, count: range.count) else {
            throw .unreadable
        }
        guard data.file.isUnchanged else { throw .changed }
        self.bytes = bytes
        self.rows = rows
        last = nil
        next = rows.lowerBound
        start = 0
    }
}
