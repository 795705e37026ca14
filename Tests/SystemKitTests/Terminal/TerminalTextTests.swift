import SystemKit
import Testing

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain é 日本 ## a: b::c #[x]", "plain é 日本 ## a: b::c #[x]"),
        ("\u{1B}[31m", #"\u{1B}[31m"#), ("a\r\nb\tc", #"a\r\nb\tc"#),
        ("\u{9B}x\u{7F}", #"\u{9B}x\u{7F}"#), ("a\u{202E}b\u{2066}", #"a\u{202E}b\u{2066}"#),
        ("\u{200B}\u{FEFF}\u{2028}\u{AD}", #"\u{200B}\u{FEFF}\u{2028}\u{AD}"#),
        ("👩\u{200D}🔬 \u{200C}", "👩\u{200D}🔬 \u{200C}"),
        ("x\n::error file=a,line=1::pwned", #"x\n::error file=a,line=1::pwned"#),
        ("::error::x", #"\u{3A}:error::x"#), (" \u{A0}::error::x", " \u{A0}\\u{3A}:error::x"),
        ("a ##[command]b", #"a #\u{23}[command]b"#), ("##vso[task]", #"#\u{23}vso[task]"#),
        ("###[group]", #"##\u{23}[group]"#),
    ])
    func `commands for a terminal or a log service are escaped`(
        text: String,
        result: String
    ) {
        #expect(TerminalText.harmless(text) == result)
    }

    @Test func `lines of foreign text stay lines, each harmless by itself`() {
        #expect(
            TerminalText.harmlessLines("a\n::error::b\n\u{1B}\n")
                == "a\n\\u{3A}:error::b\n\\u{1B}\n"
        )
    }

    @Test func `a JSON document is escaped without a change of meaning`() {
        let document = Array("{\n  \"a\": \"##[error] \u{202E}é\u{E0041}\"\n}\n".utf8)
        let expected = "{\n  \"a\": \"#\\u0023[error] \\u202eé\\udb40\\udc41\"\n}\n"
        #expect(
            TerminalText.harmlessJSON(document.span).map { String(decoding: $0, as: UTF8.self) }
                == expected
        )
        #expect(TerminalText.harmlessJSON(Array("{\n}\n".utf8).span) == nil)
    }

    @Test(
        arguments: [
            ("•", nil), ("##", nil), ("##a", nil), ("##vso[x##[", "#\\u0023vso[x#\\u0023["),
            ("a\nb#\n#[", nil),
            ("•##[", "•#\\u0023["), ("###[", "##\\u0023["), ("\t\u{7F}", "\\u0009\\u007f"),
            ("::a•\n\n•", nil), ("日\u{2028}本", "日\\u2028本"), ("\n•", nil),
        ] as [(String, String?)]
    )
    func `harmful text alone is escaped, wherever it is`(text: String, escaped: String?) {
        let found = TerminalText.harmlessJSON(text.utf8.span)
        #expect(String(decoding: found ?? Array(text.utf8), as: UTF8.self) == escaped ?? text)
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

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdefgh", 7, "abc…fgh"), ("abcdefgh", 6, "abc…gh"),
        ("abcdefgh", 3, "a…h"), ("abcdefgh", 2, "a…"), ("abcdefgh", 0, ""),
        ("mirror-of-a-state[bavaria-1]", 20, "mirror-o…[bavaria-1]"),
        ("mirror-of-a-state[x]", 11, "mirro…te[x]"), ("mirror[north-rhine]", 8, "m…rhine]"),
        ("日本語日本語", 8, "日本…語"), ("a]b[c]d", 5, "a]…]d"),
    ])
    func `an id is cut in its middle and keeps its key`(id: String, columns: Int, result: String) {
        #expect(TerminalText.truncatedID(id, columns: columns) == result)
        #expect(TerminalText.width(result) <= columns)
    }

    @Test func `a text is cut with another mark`() {
        #expect(TerminalText.truncated("abcdef", columns: 4, mark: "~") == "abc~")
        #expect(TerminalText.fitted("abcdef", columns: 4, mark: "~") == "abc~")
    }

    @Test(arguments: [
        ("plain", "plain"), ("‹redacted›", "<redacted>"), ("cut…", "cut..."),
        ("é日\u{1F642}", #"\u{E9}\u{65E5}\u{1F642}"#),
    ])
    func `text beyond ASCII has escapes for a terminal that shows no other`(
        text: String,
        result: String
    ) {
        #expect(TerminalText.ascii(text) == result)
    }
}
