/// Writes a source line and the caret line below it.
struct SnippetRenderer {
    private let source: SourceText
    private let lines: LineIndex
    private let style: TerminalStyle

    /// Columns of source text that are shown at most.
    private static let windowWidth = 100
    /// Columns that stay free in front of the caret in a line too long to be shown whole.
    private static let leadingContext = 30

    init(_ source: SourceText, style: TerminalStyle) {
        self.source = source
        lines = LineIndex(source)
        self.style = style
    }

    /// Adds the line where `range` starts; a place past the last line has none.
    ///
    /// The line number takes `digits` columns. A range of several lines is underlined to the end of its first.
    func append(_ range: SourceRange, digits: Int, to text: inout String) {
        guard let bytes = lines.range(of: range.start.line) else { return }
        let line = DisplayText(source.bytes[bytes])
        let first = min(range.start.column - 1, line.cells.count)
        let endsHere = range.end.line == range.start.line
        let last = endsHere ? min(range.end.column - 1, line.cells.count) : line.cells.count
        let window = Self.window(of: line, around: first)
        let number = String(range.start.line)
        let margin = String(repeating: " ", count: digits)
        let lead = window.lowerBound > 0 ? "…" : ""
        let tail = window.upperBound < line.cells.count ? "…" : ""
        let shown = line.cells[window].map(\.text).joined()
        text += String(repeating: " ", count: max(digits - number.utf8.count, 0)) + number + " |"
        text += shown.isEmpty ? "\n" : " \(lead)\(shown)\(tail)\n"
        let before = line.cells[window.lowerBound..<first].reduce(lead.isEmpty ? 0 : 1) {
            $0 + $1.width
        }
        let marked = line.cells[first..<max(first, min(last, window.upperBound))]
        let length = max(marked.reduce(0) { $0 + $1.width }, 1)
        let caret = "^" + String(repeating: "~", count: length - 1)
        text += margin + " | " + String(repeating: " ", count: before)
        text += style.bold(caret, .green) + "\n"
    }

    /// The cells that are shown of a line: all, or those around the one at `focus`.
    private static func window(of line: DisplayText, around focus: Int) -> Range<Int> {
        var start = 0
        if cost(line.cells[..<focus]) > windowWidth - leadingContext {
            start = focus
            var room = leadingContext
            while start > 0, room > 0 {
                start -= 1
                room -= max(line.cells[start].width, 1)
            }
        }
        guard start > 0 || cost(line.cells[...]) > windowWidth else { return 0..<line.cells.count }
        var end = start
        var room = windowWidth
        while end < line.cells.count, room > 0 {
            room -= max(line.cells[end].width, 1)
            end += 1
        }
        return start..<end
    }

    /// The columns of cells, those without a column counted as one: a heap of combining marks is long too.
    private static func cost(_ cells: ArraySlice<DisplayText.Cell>) -> Int {
        cells.reduce(0) { $0 + max($1.width, 1) }
    }
}
