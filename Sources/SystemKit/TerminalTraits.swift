import Glibc

/// What can be shown where a stream of text goes.
package struct TerminalTraits: Sendable, Hashable {
    package var isTerminal: Bool
    /// Whether lines can be drawn again: a terminal that is not dumb.
    package var canRedraw: Bool
    package var usesColor: Bool
    /// Cells in a line, at least 1.
    package var columns: Int
    /// At least 1.
    package var rows: Int

    package init(
        isTerminal: Bool = false,
        canRedraw: Bool,
        usesColor: Bool,
        columns: Int = 80,
        rows: Int = 24
    ) {
        self.isTerminal = isTerminal
        self.canRedraw = canRedraw
        self.usesColor = usesColor
        self.columns = columns
        self.rows = rows
    }

    /// Judges a stream by whether it is a terminal, by the size that the terminal tells, and by the
    /// environment.
    ///
    /// `NO_COLOR` wins over `CLICOLOR_FORCE` (https://no-color.org, https://bixense.com/clicolors);
    /// `COLUMNS` and `LINES` win over the terminal's own word.
    package init(
        isTerminal: Bool,
        size: (columns: Int, rows: Int)?,
        environment: (String) -> String?
    ) {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        func number(_ name: String) -> Int { environment(name).flatMap { Int($0) } ?? 0 }
        self.isTerminal = isTerminal
        let isDumb = environment("TERM") == "dumb"
        let isForced = isSet("CLICOLOR_FORCE") && environment("CLICOLOR_FORCE") != "0"
        canRedraw = isTerminal && !isDumb
        usesColor = !isSet("NO_COLOR") && (isForced || canRedraw)
        columns = Self.first(number("COLUMNS"), size?.columns ?? 0, otherwise: 80)
        rows = Self.first(number("LINES"), size?.rows ?? 0, otherwise: 24)
    }

    /// The traits of standard error as they are now.
    package static func ofStandardError() -> TerminalTraits {
        let isTerminal = isatty(STDERR_FILENO) == 1
        var size = winsize()
        let hasSize = unsafe isTerminal && ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return TerminalTraits(
            isTerminal: isTerminal,
            size: hasSize ? (Int(size.ws_col), Int(size.ws_row)) : nil
        ) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// The first that a terminal can have.
    private static func first(_ numbers: Int..., otherwise usual: Int) -> Int {
        numbers.first { (1...10_000).contains($0) } ?? usual
    }
}

/// The stream for progress and diagnostics.
package enum StandardError {
    /// What all text goes through before it is written.
    private static let filter = Lock<(@Sendable ([UInt8]) -> [UInt8])?>(nil)

    /// From now on, for the whole process, `filter` makes of every text what is written instead.
    package static func pass(through filter: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.filter.withLock { $0 = filter }
    }

    /// What is to be written for a text.
    static func filtered(_ bytes: [UInt8]) -> [UInt8] {
        let filter = filter.withLock { $0 }
        return filter?(bytes) ?? bytes
    }

    /// Writes a line of the runner's own, `runner: …`; foreign text in it is harmless.
    ///
    /// Secrets are taken out first: they are found in a text as it is, not in one that was made
    /// printable.
    package static func say(_ message: String) {
        let text = String(decoding: filtered(Array(message.utf8)), as: UTF8.self)
        write(Array("runner: \(TerminalText.harmless(text))\n".utf8))
    }

    /// Writes all of `bytes`; a reader that has gone is no concern of a transfer.
    package static func write(_ bytes: [UInt8]) {
        var rest = filtered(bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}
