import Report
import SystemKit
import TransferModel

/// A terminal that understands the display's sequences, keeps all its lines, and breaks long lines
/// again when its width changes.
final class Screen {
    private struct Row {
        var text: [Character] = []
        /// Whether the next row continues the line.
        var isBroken = false
    }

    private var rows = [Row()]
    private var row = 0
    private var column = 0
    private var breaksLines = true
    private(set) var columns: Int
    private(set) var writes = 0
    var time = MonotonicTime(nanoseconds: 0)

    init(columns: Int = 1000) { self.columns = columns }

    /// The rows without blanks at their ends, and without empty rows behind the last text.
    var lines: [String] {
        var lines = rows.map { row in
            String(row.text.reversed().drop { $0 == " " }.reversed())
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    func write(_ bytes: [UInt8]) {
        writes += 1
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        while let first = rest.first {
            if let match = rest.prefixMatch(of: #/\u{1B}\[([?0-9]*)([A-Za-z])/#) {
                obey(String(match.2), String(match.1))
                rest = rest[match.range.upperBound...]
            } else {
                put(first)
                rest = rest.dropFirst()
            }
        }
    }

    private func obey(_ command: String, _ argument: String) {
        switch command {
        case "F": (row, column) = (max(0, row - (Int(argument) ?? 1)), 0)
        case "C": column = min(columns - 1, column + 1)
        case "K" where argument == "1":
            for cell in rows[row].text.indices.prefix(column + 1) { rows[row].text[cell] = " " }
        case "K": eraseLine()
        case "J":
            eraseLine()
            rows.removeSubrange((row + 1)...)
        case "l": breaksLines = argument != "?7"
        case "h": breaksLines = argument == "?7"
        default: break
        }
    }

    private func eraseLine() {
        rows[row].text = Array(rows[row].text.prefix(column))
        rows[row].isBroken = false
    }

    private func put(_ character: Character) {
        switch character {
        case "\r": column = 0
        case "\n": goDown()
        default:
            if column == columns, breaksLines {
                rows[row].isBroken = true
                goDown()
            }
            column = min(column, columns - 1)
            while rows[row].text.count <= column { rows[row].text.append(" ") }
            rows[row].text[column] = character
            column += 1
        }
    }

    private func goDown() {
        (row, column) = (row + 1, 0)
        if row == rows.count { rows.append(Row()) }
    }

    /// Changes the width; the cursor stays at its character.
    func resize(columns: Int) {
        var lines: [[Character]] = []
        var cursor = (line: 0, offset: 0)
        var isContinued = false
        for (index, row) in rows.enumerated() {
            if !isContinued { lines.append([]) }
            if index == self.row {
                cursor = (lines.count - 1, lines[lines.count - 1].count + column)
            }
            lines[lines.count - 1] += row.text
            isContinued = row.isBroken
        }
        self.columns = columns
        rows = []
        for (index, line) in lines.enumerated() {
            if index == cursor.line {
                row = rows.count + cursor.offset / columns
                column = cursor.offset % columns
            }
            var rest = line[...]
            repeat {
                let piece = rest.prefix(columns)
                rest = rest.dropFirst(columns)
                rows.append(Row(text: Array(piece), isBroken: !rest.isEmpty))
            } while !rest.isEmpty
        }
        while rows.count <= row { rows.append(Row()) }
    }

    func display(_ style: ProgressStyle, _ traits: TerminalTraits) -> ProgressDisplay {
        ProgressDisplay(
            style: style,
            reportPath: "out/r.json",
            traits: {
                var traits = traits
                traits.columns = min(traits.columns, self.columns)
                return traits
            },
            now: { self.time },
            // The first of January 1970 at noon, at Greenwich.
            wall: { 43_200_000_000_000 + self.time.nanoseconds },
            write: { self.write($0) }
        )
    }

    func wait(seconds: Int64) {
        time = MonotonicTime(nanoseconds: time.nanoseconds + seconds * 1_000_000_000)
    }
}
