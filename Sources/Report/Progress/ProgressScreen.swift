internal import SystemKit

/// The picture at the end of a terminal that each frame replaces.
///
/// Between two frames the cursor is at the start of the picture's first line. A terminal that
/// changes its width may break the picture's lines, but it keeps the cursor at its text: the
/// picture follows the cursor, however many rows it takes.
struct ProgressScreen: Sendable {
    /// Turn automatic line breaks off and on (DEC private mode 7, DECAWM).
    private static let (breaksOff, breaksOn) = ("\u{1B}[?7l", "\u{1B}[?7h")
    /// Erase to the end of the line and of the screen (ECMA-48 §8.3.41, §8.3.39).
    private static let (eraseLine, eraseScreen) = ("\u{1B}[K", "\u{1B}[J")
    /// Erases the line and all below it, from the line's second cell: a tmux that erases the screen
    /// from its first cell keeps the text in its history.
    private static let eraseFromLine = "\u{1B}[C\u{1B}[1K\u{1B}[J\r"

    private var hasPicture = false

    /// The bytes that put permanent `text` in the place of the picture, and a new one below it.
    ///
    /// - Parameters:
    ///   - picture: The lines of the new picture, each shorter than a line of the terminal.
    ///   - text: Complete lines.
    /// - Returns: The bytes, to be written at once.
    mutating func show(_ picture: [String], after text: String) -> [UInt8] {
        var output = hasPicture ? "\r" : ""
        // Otherwise the new lines replace the old ones without a moment in which they are missing.
        if hasPicture, !text.isEmpty || picture.isEmpty { output += Self.eraseFromLine }
        hasPicture = !picture.isEmpty
        output += text
        if hasPicture {
            output += Self.breaksOff
            output += picture.joined(separator: Self.eraseLine + "\n")
            output += Self.eraseScreen + Self.breaksOn
            // To the start of the line, so many lines up (ECMA-48 §8.3.35).
            output += picture.count > 1 ? "\u{1B}[\(picture.count - 1)F" : "\r"
        }
        return Array(output.utf8)
    }
}
