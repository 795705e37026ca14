/// The rows of a data file that was gone through once.
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
        var line = Int(block.line)
        var left = row - rows.lowerBound
        var start = 0
        while start < bytes.count {
            let end = format.end(in: bytes.span, from: start) ?? bytes.count
            let content = DataFormat.content(of: bytes[start..<end])
            if !content.isEmpty {
                if left == 0 { return (line, content) }
                left -= 1
            }
            line += bytes[start..<end].count { $0 == 10 }
            start = end
        }
        return nil
    }
}
