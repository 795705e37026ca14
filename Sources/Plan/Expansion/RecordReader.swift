/// Reads a data file from its beginning, a row at a time, with a buffer whose size does not depend
/// on the file.
struct RecordReader {
    /// The bytes of one row and their position.
    struct Record {
        /// Without the end of the line.
        var content: ArraySlice<UInt8>
        /// In the file.
        var range: Range<Int64>
        /// 1-based.
        var line: Int
        /// As in `DataFormat.Extent`.
        var plainFields: Int?
    }

    private let file: any DataFile
    private let format: DataFormat
    private var buffer: [UInt8] = []
    /// The offset of the first byte of the buffer that was not returned yet.
    private var start = 0
    /// The buffer's position in the file.
    private var base: Int64 = 0
    private var isAtEnd = false
    /// 1-based number of the line that the next record begins with.
    private(set) var line = 1

    private static let chunk = 256 << 10

    init(_ file: any DataFile, _ format: DataFormat) {
        self.file = file
        self.format = format
    }

    /// The next row that is not an empty line; nil after the last row.
    ///
    /// A fault here ends the reading, because the start of the next row is unknown.
    mutating func next() throws(RowFault) -> Record? {
        while true {
            guard let extent = nextExtent() else {
                if isAtEnd { return nil }
                // The end of a line is CR LF at most.
                guard buffer.count - start <= DataFormat.longestRow + 1 else { throw tooLong }
                try fill()
                continue
            }
            let end = extent.end
            let record = Record(
                content: DataFormat.content(of: buffer[start..<end]),
                range: base + Int64(start)..<base + Int64(end),
                line: line,
                plainFields: extent.plainFields
            )
            guard record.content.count <= DataFormat.longestRow else { throw tooLong }
            let isLine = extent.plainFields != nil || format != .csv
            line += isLine ? 1 : buffer[start..<end].count { $0 == 10 }
            start = end
            if !record.content.isEmpty { return record }
        }
    }

    /// The beginning of the row that was not returned because of a fault: its first line,
    /// shortened.
    var excerpt: ArraySlice<UInt8> {
        let bytes = buffer[start...].prefix(1 << 10)
        if let end = bytes.firstIndex(of: 10) { return DataFormat.content(of: bytes[...end]) }
        // A character that is cut is left out.
        return bytes[..<(bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.startIndex)]
    }

    private var tooLong: RowFault {
        RowFault(
            "the row is longer than 1 MiB",
            at: 0,
            help: format == .csv ? "perhaps a quote is never closed" : nil
        )
    }

    private func nextExtent() -> DataFormat.Extent? {
        if let extent = format.extent(in: buffer.span, from: start) { return extent }
        return isAtEnd && start < buffer.count ? .init(end: buffer.count) : nil
    }

    private mutating func fill() throws(RowFault) {
        base += Int64(start)
        buffer.removeFirst(start)
        start = 0
        guard let bytes = file.read(at: base + Int64(buffer.count), count: Self.chunk) else {
            throw RowFault("the file cannot be read", at: 0)
        }
        isAtEnd = bytes.isEmpty
        buffer += bytes
        if base == 0, line == 1, buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    }
}
