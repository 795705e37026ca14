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
