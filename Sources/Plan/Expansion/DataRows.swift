/// The rows of a data file that was read through once.
struct DataRows: Sendable {
    /// Why a row that was there cannot be had any more.
    enum Failure: Error {
        case changed
        case unreadable
    }

    let file: any DataFile
    /// As messages name it: relative as the job file's own name is.
    let name: String
    let format: DataFormat
    /// The header of a CSV file.
    let columns: [String]
    let index: RowIndex

    /// A row's text and the 1-based line that it begins with; nil when it cannot be read any more.
    func text(of row: Int) -> (line: Int, text: ArraySlice<UInt8>)? {
        let (block, rows, range) = index.block(of: row)
        guard let bytes = file.read(at: range.lowerBound, count: range.count) else { return nil }
        var start = 0
        for _ in rows.lowerBound..<row { _ = format.nextText(in: bytes, from: &start) }
        guard let text = format.nextText(in: bytes, from: &start) else { return nil }
        return (Int(block.line) + bytes[..<text.startIndex].count { $0 == 10 }, text)
    }
}
