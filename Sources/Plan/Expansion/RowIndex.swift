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
    /// Behind the last row.
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
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(blocks[middle].firstRow) <= row { low = middle } else { high = middle }
        }
        let isLast = low + 1 == blocks.count
        let nextRow = isLast ? count : Int(blocks[low + 1].firstRow)
        let nextStart = isLast ? end : blocks[low + 1].start
        let block = blocks[low]
        return (block, Int(block.firstRow)..<nextRow, block.start..<nextStart)
    }
}
