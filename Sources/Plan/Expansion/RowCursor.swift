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
        if !rows.contains(number) || number < next { try load(number, of: data) }
        while let text = data.format.nextText(in: bytes, from: &start) {
            next += 1
            if next > number { return text }
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
        next = rows.lowerBound
        start = 0
    }
}
