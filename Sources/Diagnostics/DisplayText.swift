internal import SystemKit

/// One line of text for a terminal: tabs become spaces, and control characters are escaped.
///
/// Each source scalar is a cell, so that carets stay aligned with wide, combining and escaped
/// scalars.
struct DisplayText {
    struct Cell {
        var text: String
        /// The cell's width in columns.
        var width: Int

        /// Whether the cell is hidden behind the dots in an earlier one.
        var isHidden: Bool { text.isEmpty }
        /// The columns for which the cell counts in a shortened line, at least one: many combining
        /// marks are also long.
        var cost: Int { isHidden ? 0 : max(width, 1) }
    }

    private(set) var cells: [Cell] = []
    /// The width of all cells in columns.
    private(set) var width = 0

    /// The cells of a line of UTF-8; invalid bytes become `\xE9`.
    init(_ bytes: ArraySlice<UInt8>) {
        let span = bytes.span
        defer { breakCommandMarks() }
        var index = 0
        while index < span.count {
            if let (scalar, length) = span.scalar(at: index) {
                append(scalar)
                index += length
            } else {
                let hex = String(span[index], radix: 16, uppercase: true)
                append("\\x" + hex, width: 4)
                index += 1
            }
        }
    }

    /// Users' text for a message: one line, harmless, at most `limit` scalars.
    static func harmless(_ text: String, limit: Int = 500) -> String {
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex,
                offsetBy: limit,
                limitedBy: scalars.endIndex
            ),
            end < scalars.endIndex
        else { return TerminalText.harmless(text) }
        return TerminalText.harmless(String(scalars[..<end])) + "…"
    }

    /// Puts dots in the place of a stretch of cells, whatever its length.
    mutating func hide(_ range: Range<Int>) {
        let range = range.clamped(to: cells.indices)
        guard let first = range.first else { return }
        for index in range {
            width -= cells[index].width
            cells[index] = Cell(text: "", width: 0)
        }
        let columns = Diagnostic.dots.unicodeScalars.count
        cells[first] = Cell(text: Diagnostic.dots, width: columns)
        width += columns
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar == "\t" {
            let width = Self.tabWidth - width % Self.tabWidth
            append(String(repeating: " ", count: width), width: width)
        } else if TerminalText.isHarmful(scalar) {
            let text = TerminalText.escaped(scalar)
            append(text, width: text.utf8.count)
        } else {
            append(String(Character(scalar)), width: scalar.columns)
        }
    }

    /// Escapes commands for log services; cells still correspond to source scalars.
    private mutating func breakCommandMarks() {
        let scalars = cells.map { $0.text.unicodeScalars.first ?? " " }
        for index in cells.indices where TerminalText.isCommandMark(scalars, at: index) {
            let text = TerminalText.escaped("#")
            width += text.utf8.count - cells[index].width
            cells[index] = Cell(text: text, width: text.utf8.count)
        }
    }

    private mutating func append(_ text: String, width columns: Int) {
        cells.append(Cell(text: text, width: columns))
        width += columns
    }

    private static let tabWidth = 4
}

extension Unicode.Scalar {
    /// The scalar's columns in a terminal: 0 when it combines with the previous one, 2 when it is
    /// wide (UAX #11).
    fileprivate var columns: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.wideRanges.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The main blocks of East Asian wide scalars and pictographs.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}

extension String {
    /// The text for a quote in a message: its first 80 scalars, and `…` if there are more; without
    /// backticks, which would end the quote.
    package var excerpt: String {
        let shown = unicodeScalars.prefix(80)
        let excerpt = shown.endIndex == unicodeScalars.endIndex ? self : String(shown) + "…"
        guard excerpt.utf8.contains(UInt8(ascii: "`")) else { return excerpt }
        return String(excerpt.map { $0 == "`" ? "'" : $0 })
    }
}
