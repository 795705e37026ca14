import Testing

@testable import Report

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain é 日本", "plain é 日本"), ("\u{1B}[31m", "\u{FFFD}[31m"),
        ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
        ("\u{9B}x\u{7F}", "\u{FFFD}x\u{FFFD}"), ("a\u{202E}b\u{2066}", "a\u{FFFD}b\u{FFFD}"),
        ("\u{200B}\u{FEFF}", "\u{FFFD}\u{FFFD}"),
    ])
    func `what a terminal would obey is replaced`(text: String, result: String) {
        #expect(TerminalText.harmless(text) == result)
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("🙂", 2), ("ｱ", 1), ("", 0),
    ])
    func `wide letters take two cells and marks none`(text: String, width: Int) {
        #expect(TerminalText.width(text) == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abc", 5, "abc  "), ("日本語", 5, "日本…"),
        ("日本語", 4, "日… "), ("abc", 1, "…"), ("abc", 0, ""), ("e\u{301}e\u{301}e", 2, "e\u{301}…"),
    ])
    func `a text is fitted into exactly so many cells`(text: String, columns: Int, result: String) {
        #expect(TerminalText.fitted(text, columns: columns) == result)
        #expect(TerminalText.width(result) == columns)
    }
}
