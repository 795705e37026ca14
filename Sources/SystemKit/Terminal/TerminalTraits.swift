import Glibc

/// The display abilities of an output stream.
package struct TerminalTraits: Sendable, Hashable {
    /// Whether the stream is a terminal, even a dumb one.
    package var isTerminal: Bool
    /// Whether lines can be redrawn: a terminal that is not dumb.
    package var canRedraw: Bool
    /// Whether to write colors (ECMA-48 SGR).
    package var usesColor: Bool
    /// Whether to write ASCII only: a terminal whose locale has another encoding than UTF-8.
    package var isASCII = false
    /// Cells in a line, at least 1.
    package var columns: Int
    /// At least 1.
    package var rows: Int

    /// Creates traits without a look at the terminal or the environment.
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

    /// Derives the traits from the terminal, its size and the environment.
    ///
    /// `NO_COLOR` overrides `CLICOLOR_FORCE` (https://no-color.org, https://bixense.com/clicolors);
    /// `COLUMNS` and `LINES` override the terminal's size.
    package init(
        isTerminal: Bool,
        size: (columns: Int, rows: Int)?,
        environment: (String) -> String?
    ) {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        func number(_ name: String) -> Int { environment(name).flatMap { Int($0) } ?? 0 }
        self.isTerminal = isTerminal
        // Without a type, the terminal's control sequences are unknown.
        let isDumb = !isSet("TERM") || environment("TERM") == "dumb"
        let isForced = isSet("CLICOLOR_FORCE") && environment("CLICOLOR_FORCE") != "0"
        canRedraw = isTerminal && !isDumb
        usesColor = !isSet("NO_COLOR") && (isForced || canRedraw)
        // The first of these variables with a value decides (locale(7)); without any, it is `C`.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].first(where: isSet).flatMap(environment)
        let encoding = (locale ?? "C").lowercased()
        isASCII = isTerminal && !encoding.contains("utf-8") && !encoding.contains("utf8")
        columns = Self.first(number("COLUMNS"), size?.columns ?? 0, otherwise: 80)
        rows = Self.first(number("LINES"), size?.rows ?? 0, otherwise: 24)
    }

    /// The current traits of standard error.
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

    /// The first valid number.
    private static func first(_ numbers: Int..., otherwise usual: Int) -> Int {
        numbers.first { (1...10_000).contains($0) } ?? usual
    }
}

/// The stream for progress and diagnostics.
package enum StandardError {
    /// The filter for all text before it is written.
    private static let filter = Lock<(@Sendable ([UInt8]) -> [UInt8])?>(nil)

    /// Sets the filter for the whole process, which replaces each text before it is written.
    package static func pass(through filter: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.filter.withLock { $0 = filter }
    }

    /// The filtered bytes of a text.
    static func filtered(_ bytes: [UInt8]) -> [UInt8] {
        let filter = filter.withLock { $0 }
        return filter?(bytes) ?? bytes
    }

    /// Writes a line of the runner's own, `runner: …`, and makes foreign text in it harmless.
    ///
    /// Secrets are removed first: the filter finds them in the original text, not in escaped text.
    package static func say(_ message: String) {
        let text = String(decoding: filtered(Array(message.utf8)), as: UTF8.self)
        write(Array("runner: \(TerminalText.harmless(text))\n".utf8))
    }

    /// Writes all of `bytes`; a lost reader does not affect transfers.
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
