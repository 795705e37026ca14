internal import SystemKit
internal import TransferModel

/// A frame of the progress display: a line for each running transfer and one for the run.
struct ProgressFrame: Sendable {
    /// The whole run so far.
    struct Total: Sendable {
        var tasks: Int
        var done: Int
        var failed: Int
        var bytes: Int64
        var bytesPerSecond: Double?
        var secondsLeft: Int64?
    }

    /// The terminal lines left for other text.
    private static let freeRows = 3
    /// The width of `100%`, two spaces and `1023.9 KiB`.
    private static let figuresWidth = 16
    private static let maximumBarWidth = 40
    private static let minimumBarWidth = 8

    var running: [TaskProgress]
    var total: Total
    /// Prepares text from others for the display.
    var foreign = ForeignText()

    /// The lines, each short enough for a terminal of that width.
    func lines(columns: Int, rows: Int) -> [String] {
        // Some terminals start a new line after the last cell.
        let width = max(1, columns - 1)
        let shown = running.prefix(max(0, rows - Self.freeRows))
        return shown.map { line(of: $0, width: width) } + [totalLine(width: width)]
    }

    private func line(of task: TaskProgress, width: Int) -> String {
        let id = foreign.line(task.id)
        let fraction = task.fraction
        let percent = fraction.map { "\(Int($0 * 100))%" } ?? "-"
        let half = (width - Self.figuresWidth - 4) / 2
        guard half >= Self.minimumBarWidth else {
            // Too narrow for a bar: only the id and the percentage.
            let figure = String(repeating: " ", count: max(0, 5 - percent.count)) + percent
            guard width > 12 else { return TerminalText.truncated(id, columns: width) }
            return TerminalText.fitted(id, columns: width - 5) + figure
        }
        let barWidth = min(half, Self.maximumBarWidth)
        let idWidth = width - Self.figuresWidth - barWidth - 4
        let size = Quantity.bytes(task.payloadBytes + task.countOfBytesResumed)
        return TerminalText.fitted(id, columns: idWidth) + "  "
            + Self.bar(fraction, width: barWidth) + "  "
            + String(repeating: " ", count: max(0, 4 - percent.count)) + percent
            + String(repeating: " ", count: max(0, Self.figuresWidth - 4 - size.count)) + size
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

    /// As many of the run's figures as fit, the most important first.
    private func totalLine(width: Int) -> String {
        var figures = ["\(total.done)/\(total.tasks) tasks"]
        if total.failed > 0 { figures.append("\(total.failed) failed") }
        figures.append(Quantity.bytes(total.bytes))
        if let rate = total.bytesPerSecond {
            figures.append("\(Quantity.bytes(Int64(min(rate, 1e15))))/s")
        }
        if let left = total.secondsLeft { figures.append("\(Quantity.clock(seconds: left)) left") }
        if !running.isEmpty { figures.append("\(running.count) running") }
        let waiting = running.count { $0.isAwaitingBandwidth }
        if waiting > 0 { figures.append("\(waiting) waiting for bandwidth") }
        var line = TerminalText.truncated(figures[0], columns: width)
        for figure in figures.dropFirst() where line.count + 2 + figure.count <= width {
            line += "  " + figure
        }
        return line
    }
}

extension TaskProgress {
    /// The bytes in the direction of the payload.
    var payloadBytes: Int64 { kind == .upload ? countOfBytesSent : countOfBytesReceived }

    /// From 0 to 1; nil if the length is unknown.
    var fraction: Double? {
        guard let expected = countOfBytesExpected, expected > 0 else { return nil }
        let resumed = Double(countOfBytesResumed)
        return min(1, max(0, (Double(payloadBytes) + resumed) / (Double(expected) + resumed)))
    }
}
