/// Writes a source line and the caret line below it.
struct SnippetRenderer {
    private let source: SourceText
    private let lines: LineIndex
    /// The parts that are not shown, by their lines.
    private let hidden: [Int: [SourceRange]]
    private let style: TerminalStyle

    /// The most columns of source text to show.
    private static let windowWidth = 100
    /// The columns before the caret in a shortened line.
    private static let leadingContext = 30

    init(_ source: SourceText, hiding hidden: [SourceRange], style: TerminalStyle) {
        self.source = source
        self.hidden = Dictionary(grouping: hidden, by: \.start.line)
        lines = LineIndex(source)
        self.style = style
    }

    /// Appends the line at the start of `range`; nothing for a position after the last line.
    ///
    /// The line number takes `digits` columns. A range over several lines is underlined to the end
    /// of the first.
    func append(_ range: SourceRange, digits: Int, to text: inout String) {
        guard let (focus, column) = lines.place(of: range.start) else { return }
        let before = start(before: focus)
        var line = DisplayText(source.bytes[before.offset..<end(after: focus)])
        let firstColumn = column - before.count
        for part in hidden[range.start.line] ?? [] {
            let first = max(part.start.column - firstColumn, 0)
            line.hide(first..<max(part.end.column - firstColumn, first))
        }
        var first = min(before.count, line.cells.count)
        let end = min(first + length(of: range, line), line.cells.count)
        // The dots of a hidden part are at its beginning.
        while first > 0, first < line.cells.count, line.cells[first].isHidden { first -= 1 }
        let window = Self.window(of: line, around: first)
        let last = max(min(end, window.upperBound), first)
        let lead = window.lowerBound > 0 ? "…" : ""
        let tail = window.upperBound < line.cells.count ? "…" : ""
        let shown = line.cells[window].map(\.text).joined()
        let number = String(range.start.line)
        text += String(repeating: " ", count: max(digits - number.utf8.count, 0)) + number + " |"
        text += shown.isEmpty ? "\n" : " \(lead)\(shown)\(tail)\n"
        let indent = line.cells[window.lowerBound..<first].reduce(lead.isEmpty ? 0 : 1) {
            $0 + $1.width
        }
        let marked = max(line.cells[first..<last].reduce(0) { $0 + $1.width }, 1)
        let caret = "^" + String(repeating: "~", count: marked - 1)
        text += String(repeating: " ", count: digits) + " | "
        text += String(repeating: " ", count: indent) + style.bold(caret, .green) + "\n"
    }

    /// The columns of a range in its first line.
    private func length(of range: SourceRange, _ line: DisplayText) -> Int {
        let isOneLine = range.end.line == range.start.line
        return isOneLine ? max(range.end.column - range.start.column, 0) : line.cells.count
    }

    /// Moves back from `focus` to the start of its line, or by more scalars than are shown.
    private func start(before focus: Int) -> (offset: Int, count: Int) {
        let span = source.bytes.span
        var offset = focus
        var count = 0
        while offset > source.base, count <= Self.windowWidth {
            var previous = offset - 1
            while previous > source.base, offset - previous < 4, span[previous] & 0xC0 == 0x80 {
                previous -= 1
            }
            if previous + (span.scalar(at: previous)?.length ?? 1) != offset {
                previous = offset - 1
            }
            guard span.lineBreak(at: previous) == 0 else { break }
            offset = previous
            count += 1
        }
        return (offset, count)
    }

    /// Moves from `focus` to the end of its line, or by more scalars than are shown.
    private func end(after focus: Int) -> Int {
        let span = source.bytes.span
        var offset = focus
        var count = 0
        while offset < span.count, count <= Self.windowWidth, span.lineBreak(at: offset) == 0 {
            offset += span.scalar(at: offset)?.length ?? 1
            count += 1
        }
        return offset
    }

    /// The cells to show: all, or those around the cell at `focus`.
    private static func window(of line: DisplayText, around focus: Int) -> Range<Int> {
        var start = 0
        if cost(line.cells[..<focus]) > windowWidth - leadingContext {
            start = focus
            var room = leadingContext
            while start > 0, room > 0 {
                start -= 1
                room -= line.cells[start].cost
            }
        }
        guard start > 0 || cost(line.cells[...]) > windowWidth else { return 0..<line.cells.count }
        var end = start
        var room = windowWidth
        while end < line.cells.count, room > 0 {
            room -= line.cells[end].cost
            end += 1
        }
        return start..<end
    }

    /// The columns of cells.
    private static func cost(_ cells: ArraySlice<DisplayText.Cell>) -> Int {
        cells.reduce(0) { $0 + $1.cost }
    }
}

/// Bold and colour for a terminal, or nothing.
struct TerminalStyle {
    enum Color: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    let isColored: Bool

    func bold(_ text: String, _ color: Color? = nil) -> String {
        guard isColored else { return text }
        // ECMA-48 §8.3.117, select graphic rendition: 1 is bold, 0 ends it.
        let codes = color.map { "1;\($0.rawValue)" } ?? "1"
        return "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }
}
