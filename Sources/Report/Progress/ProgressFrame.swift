internal import SystemKit
internal import TransferModel

/// A frame of the progress display: a line for each active task, and one or two for the run.
struct ProgressFrame: Sendable {
    /// A line of a task.
    struct Row: Sendable {
        var task: TaskProgress
        var bytesPerSecond: Double?
        /// Shown in place of a bar, such as `resolving`; nil while the payload moves.
        var words: String?
    }

    /// The whole run so far.
    struct Total: Sendable {
        var tasks: Int
        var done: Int
        var failed: Int
        var bytes: Int64
        /// The sum of the finished parts of the running tasks, each from 0 to 1.
        var partsDone = 0.0
        var bytesPerSecond: Double?
        var secondsLeft: Int64?
        var running = 0
        var waiting = 0
        var awaitingBandwidth = 0
    }

    /// The terminal lines left for other text.
    private static let freeRows = 2
    /// Lower terminals show the run in one line.
    private static let lowestWithTwoLines = 8
    /// The width of `100%`, two spaces and `1023.9 KiB`.
    private static let figuresWidth = 16
    /// The width of two spaces and `1023.9 KiB/s`.
    private static let rateWidth = 14
    /// Narrower terminals show no rates of tasks.
    private static let narrowestWithRates = 70
    private static let maximumBarWidth = 40
    private static let minimumBarWidth = 8
    /// Narrower terminals show no bar of the run.
    private static let narrowestWithTotalBar = 30

    /// The most rows of tasks that fit on a terminal.
    static func mostRows(terminalRows rows: Int) -> Int {
        max(0, rows - freeRows - mostTotalLines(rows))
    }

    private static func mostTotalLines(_ rows: Int) -> Int { rows < lowestWithTwoLines ? 1 : 2 }

    var rows: [Row]
    var total: Total
    /// Prepares text from others for the display.
    var foreign = ForeignText()

    /// The lines, each short enough for a terminal of that width.
    func lines(columns: Int, rows: Int) -> [String] {
        // Some terminals start a new line after the last cell.
        let width = max(1, columns - 1)
        return self.rows.prefix(Self.mostRows(terminalRows: rows)).map {
            line(of: $0, width: width)
        }
            + totalLines(width: width, most: Self.mostTotalLines(rows))
    }

    private func line(of row: Row, width: Int) -> String {
        let id = foreign.line(row.task.id)
        let hasRate = width >= Self.narrowestWithRates
        let figures = Self.figuresWidth + (hasRate ? Self.rateWidth : 0)
        let half = (width - figures - 4) / 2
        guard half >= Self.minimumBarWidth else { return narrowLine(of: row, id, width: width) }
        let barWidth = min(half, Self.maximumBarWidth)
        let idWidth = width - figures - barWidth - 4
        let front = fittedID(id, idWidth) + "  "
        if let words = row.words { return front + truncated(words, width - idWidth - 2) }
        let fraction = row.task.fraction
        let size = Quantity.bytes(row.task.payloadBytes + row.task.countOfBytesResumed)
        let line =
            front + Self.bar(fraction, width: barWidth) + "  "
            + Self.right(Self.percent(fraction), 4) + Self.right(size, Self.figuresWidth - 4)
        guard hasRate, let rate = row.bytesPerSecond else { return line }
        return line + Self.right(Self.rate(rate), Self.rateWidth)
    }

    /// Too narrow for a bar: only the id and the percentage or the words.
    private func narrowLine(of row: Row, _ id: String, width: Int) -> String {
        guard width > 12 else { return truncatedID(id, width) }
        if let words = row.words {
            let front = (width - 2) / 2
            return fittedID(id, front) + "  " + truncated(words, width - front - 2)
        }
        return fittedID(id, width - 5) + Self.right(Self.percent(row.task.fraction), 5)
    }

    private func fittedID(_ id: String, _ columns: Int) -> String {
        TerminalText.padded(truncatedID(id, columns), columns: columns)
    }

    private func truncatedID(_ id: String, _ columns: Int) -> String {
        TerminalText.truncatedID(id, columns: columns, mark: foreign.cutMark)
    }

    private func truncated(_ text: String, _ columns: Int) -> String {
        TerminalText.truncated(text, columns: columns, mark: foreign.cutMark)
    }

    /// ASCII text, padded on the left.
    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    private static func percent(_ fraction: Double?) -> String {
        fraction.map { "\(Int($0 * 100))%" } ?? "-"
    }

    private static func rate(_ bytesPerSecond: Double) -> String {
        "\(Quantity.bytes(Int64(min(bytesPerSecond, 1e15))))/s"
    }

    /// `[====>    ]`; an empty bar if the progress is unknown.
    private static func bar(_ fraction: Double?, width: Int) -> String {
        let inside = width - 2
        guard let fraction else { return "[\(String(repeating: " ", count: inside))]" }
        let filled = Int(fraction * Double(inside))
        let head = filled < inside ? ">" : ""
        let rest = String(repeating: " ", count: max(0, inside - filled - head.count))
        return "[\(String(repeating: "=", count: filled))\(head)\(rest)]"
    }

    /// The figures of the run, the most important first, in at most so many lines.
    private var figures: [String] {
        var figures = ["\(total.done)/\(total.tasks) tasks"]
        if total.failed > 0 { figures.append("\(total.failed) failed") }
        figures.append(Quantity.bytes(total.bytes))
        if let rate = total.bytesPerSecond { figures.append(Self.rate(rate)) }
        if let left = total.secondsLeft { figures.append("\(Quantity.clock(seconds: left)) left") }
        if total.running > 0 { figures.append("\(total.running) running") }
        if total.waiting > 0 { figures.append("\(total.waiting) waiting") }
        if total.awaitingBandwidth > 0 {
            figures.append("\(total.awaitingBandwidth) waiting for bandwidth")
        }
        return figures
    }

    /// A bar of the run and as many figures as fit.
    private func totalLines(width: Int, most: Int) -> [String] {
        var line = ""
        if width >= Self.narrowestWithTotalBar, total.tasks > 0 {
            let fraction = (Double(total.done) + total.partsDone) / Double(total.tasks)
            line = Self.bar(min(1, fraction), width: min(width / 4, Self.maximumBarWidth)) + "  "
        }
        let figures = figures
        line = truncated(line + figures[0], width)
        var lines: [String] = []
        for figure in figures.dropFirst() {
            if line.utf8.count + 2 + figure.utf8.count <= width {
                line += "  " + figure
            } else if lines.count + 1 < most {
                lines.append(line)
                line = truncated(figure, width)
            }
        }
        return lines + [line]
    }
}
