internal import SystemKit

/// An open file of rows, read at any offset by any thread.
package protocol DataFile: Sendable {
    /// Bytes, when it was opened.
    var size: Int64 { get }
    /// Whether its content is unchanged since it was opened, as far as its metadata shows.
    var isUnchanged: Bool { get }
    /// Up to `count` bytes from `offset`, fewer only at the end; nil after a read error.
    func read(at offset: Int64, count: Int) -> [UInt8]?
}

extension DataFile {
    /// The whole content; nil after a read error, or when the file has changed.
    var content: [UInt8]? {
        guard let bytes = read(at: 0, count: Int(size)), isUnchanged else { return nil }
        return bytes
    }
}

/// The rows of a data file that was read through once.
struct DataRows: Sendable {
    /// Why a row that existed cannot be read any more.
    enum Failure: Error {
        case changed
        case unreadable
    }

    let file: any DataFile
    /// The file's name for messages: relative if the job file's own name is relative.
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

/// The positions of a data file's rows: one position for each few dozen of them, so that a million
/// rows take some hundred kilobytes.
struct RowIndex: Sendable {
    /// Rows that follow one another and are read together.
    struct Block: Sendable {
        /// In the file.
        var start: Int64
        var firstRow: UInt32
        /// The line of the first row, 1-based.
        var line: UInt32
    }

    private(set) var blocks: [Block] = []
    private(set) var count = 0
    /// After the last row.
    private var end: Int64 = 0

    private static let rowsOfBlock = 64
    private static let bytesOfBlock = 16 << 10

    /// Adds the next row.
    mutating func append(_ range: Range<Int64>, line: Int) {
        let isFull = blocks.last.map {
            count - Int($0.firstRow) >= Self.rowsOfBlock
                || range.lowerBound - $0.start >= Self.bytesOfBlock
        }
        if isFull ?? true {
            blocks.append(
                Block(
                    start: range.lowerBound,
                    firstRow: UInt32(truncatingIfNeeded: count),
                    line: UInt32(truncatingIfNeeded: line)
                )
            )
        }
        count += 1
        end = range.upperBound
    }

    /// The block of a row below `count`, the rows in it, and its bytes in the file.
    func block(of row: Int) -> (block: Block, rows: Range<Int>, bytes: Range<Int64>) {
        let next = (1..<blocks.count).partitioningIndex { Int(blocks[$0].firstRow) > row }
        let isLast = next == blocks.count
        let nextRow = isLast ? count : Int(blocks[next].firstRow)
        let nextStart = isLast ? end : blocks[next].start
        let block = blocks[next - 1]
        return (block, Int(block.firstRow)..<nextRow, block.start..<nextStart)
    }
}
