internal import Diagnostics
internal import JobFile

/// The positions of parts of a scalar's text in the file.
///
/// Parts that are asked for in their order cost no more than one walk over the text, however many
/// there are.
struct ScalarPlaces: Sendable {
    let node: NodeID
    private let whole: SourceRange
    /// Whether the file has every character literally, so that a part has a place of its
    /// own.
    private let isWritten: Bool
    /// How far characters were counted, an offset in UTF-8, and the column there.
    private var counted: (offset: Int, column: Int)
    /// The column of the first character.
    private let start: Int

    /// The places in the text of a scalar.
    init(of node: NodeID, _ text: String, in document: Document) {
        self.node = node
        whole = document.range(of: node)
        let width = whole.end.column - whole.start.column
        let count = text.unicodeScalars.count
        isWritten = whole.start.line == whole.end.line && (width == count || width == count + 2)
        // Quotes take a column on both sides.
        start = whole.start.column + (width - count) / 2
        counted = (0, start)
    }

    /// The place of a text that stands elsewhere, as in a file that a scalar names.
    init(ofWhole node: NodeID, in document: Document) {
        self.node = node
        whole = document.range(of: node)
        isWritten = false
        start = whole.start.column
        counted = (0, start)
    }

    /// The range of a part, given by its offsets in UTF-8; the whole scalar when it is not written
    /// as it reads.
    mutating func range(of part: Range<Int>, in text: String) -> SourceRange {
        guard isWritten else { return whole }
        if part.lowerBound < counted.offset { counted = (0, start) }
        let skipped = text.slice(counted.offset..<part.lowerBound).unicodeScalars.count
        counted = (part.lowerBound, counted.column + skipped)
        let length = text.slice(part).unicodeScalars.count
        let line = whole.start.line
        return SourceRange(
            start: SourcePosition(line: line, column: counted.column),
            end: SourcePosition(line: line, column: counted.column + length)
        )
    }
}
