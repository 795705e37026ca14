/// One line of text as a terminal may show it: tabs become spaces, and what would act on the terminal is spelled out.
///
/// Every source scalar is a cell, so that carets find their place under wide, combining and escaped ones.
struct DisplayText {
    struct Cell {
        var text: String
        /// Columns that the cell takes.
        var width: Int
    }

    private(set) var cells: [Cell] = []
    /// Columns of all cells.
    private(set) var width = 0

    /// The cells of a line of UTF-8; bytes that are none become `\xE9`.
    init(_ bytes: ArraySlice<UInt8>) {
        let span = bytes.span
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

    /// Text that users wrote, within a message: one line, harmless, at most `limit` scalars.
    static func harmless(_ text: String, limit: Int = 500) -> String {
        var display = DisplayText([])
        var rest = text.unicodeScalars.makeIterator()
        while display.cells.count < limit, let scalar = rest.next() { display.append(scalar) }
        let shown = display.cells.map(\.text).joined()
        return rest.next() == nil ? shown : shown + "…"
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar == "\t" {
            let width = Self.tabWidth - width % Self.tabWidth
            append(String(repeating: " ", count: width), width: width)
        } else if scalar.isHarmful {
            let text = "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            append(text, width: text.utf8.count)
        } else {
            append(String(Character(scalar)), width: scalar.columns)
        }
    }

    private mutating func append(_ text: String, width columns: Int) {
        cells.append(Cell(text: text, width: columns))
        width += columns
    }

    private static let tabWidth = 4
}

extension Unicode.Scalar {
    /// Whether a terminal would act on the scalar, or its reader be misled by it.
    ///
    /// Controls, and the marks that turn the direction of text around; joiners are let through, because scripts and
    /// emoji need them.
    fileprivate var isHarmful: Bool {
        guard value >= 0x7F else { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: return value != 0x200C && value != 0x200D
        default: return false
        }
    }

    /// Columns that the scalar takes in a terminal: 0 when it joins the one before, 2 when it is wide (UAX #11).
    fileprivate var columns: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.wideRanges.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks of East Asian wide scalars and of pictures, coarsely.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
