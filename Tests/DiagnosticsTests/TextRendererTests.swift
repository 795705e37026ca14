import Diagnostics
import Testing

@Suite struct TextRendererTests {
    private func render(
        _ text: String,
        _ diagnostics: Diagnostic...,
        name: String = "job.yaml",
        usesColor: Bool = false
    ) -> String {
        let source = SourceText(name: name, bytes: Array(text.utf8))
        let report = FileDiagnostics(source: source, diagnostics: diagnostics)
        return TextRenderer(report, usesColor: usesColor).render()
    }

    /// The second and third line of the message about a range of the first line.
    private func snippet(_ text: String, _ start: Int, _ end: Int) -> [String] {
        let rendered = render(text, Diagnostic(code: "x.y", "message", at: range(1, start, end)))
        return rendered.split(separator: "\n").dropFirst().map(String.init)
    }

    private func range(_ line: Int, _ start: Int, _ end: Int) -> SourceRange {
        SourceRange(
            start: SourcePosition(line: line, column: start),
            end: SourcePosition(line: line, column: end)
        )
    }

    @Test func `a hidden part is three dots, whatever its length`() {
        let source = SourceText(name: "job.yaml", bytes: Array("k: hü😀hü b # c\n".utf8))
        let places = [range(1, 4, 9), range(1, 10, 11), range(1, 6, 7), range(1, 12, 12)]
        let report = FileDiagnostics(
            source: source,
            diagnostics: places.map { Diagnostic(code: "x.y", "message", at: $0) },
            hidden: [range(1, 4, 9), range(1, 14, 15)]
        )
        let lines = TextRenderer(report).render().split(separator: "\n")
        #expect(lines.count { $0 == "1 | k: ••• b # •••" } == 4)
        let carets = lines.filter { $0.hasPrefix("  |") }
        // In the order of the columns: the part, a place in it, and two behind it.
        #expect(carets == ["  |    ^~~", "  |    ^~~", "  |        ^", "  |          ^"])
    }

    @Test func `a part that begins before a shortened line stays hidden`() {
        let text = "k: " + String(repeating: "s", count: 500) + " b"
        let report = FileDiagnostics(
            source: SourceText(name: "job.yaml", bytes: Array(text.utf8)),
            diagnostics: [1, 250, 400, 504, 9_000].map {
                Diagnostic(code: "x.y", "m", at: range(1, $0, $0 + 1))
            },
            hidden: [range(1, 4, 504)]
        )
        let lines = TextRenderer(report).render().split(separator: "\n")
        #expect(!lines.contains { $0.contains("ss") }, "\(lines)")
        #expect(lines.count { $0.contains("•••") } == 5)
    }

    @Test func `a fault shows its place, its line, a caret and its help`() {
        let lines = String(repeating: "\n", count: 13) + "    timeout: 60s\n"
        let fault = Diagnostic(
            code: "job.unknown-key",
            "unknown key `timeout` in session `orders`",
            at: range(14, 5, 12),
            help: "did you mean `timeoutIntervalForRequest`?"
        )
        #expect(
            render(lines, fault, name: "jobs/nightly.yaml") == """
                jobs/nightly.yaml:14:5: error: unknown key `timeout` in session `orders` [job.unknown-key]
                14 |     timeout: 60s
                   |     ^~~~~~~
                   = help: did you mean `timeoutIntervalForRequest`?

                """
        )
    }

    @Test func `notes follow with their own lines`() {
        let text = "a: 1\n\n\n\n\n\n\n\n\na: 2"
        let fault = Diagnostic(
            .warning,
            code: "x.y",
            "twice",
            at: range(10, 1, 2),
            notes: [.init("first here", at: range(1, 1, 2)), .init("nowhere")]
        )
        #expect(
            render(text, fault) == """
                job.yaml:10:1: warning: twice [x.y]
                10 | a: 2
                   | ^
                job.yaml:1:1: note: first here
                 1 | a: 1
                   | ^
                   = note: nowhere

                """
        )
    }

    @Test func `faults are in file order, those of one place in order of detection`() {
        let text = render(
            "a\nb\n",
            Diagnostic(code: "x.c", "three", at: range(2, 1, 2)),
            Diagnostic(code: "x.a", "one", at: range(1, 1, 2)),
            Diagnostic(code: "x.b", "two", at: range(1, 1, 1))
        )
        let codes = text.split(separator: "\n").compactMap {
            $0.split(separator: "[").dropFirst().last
        }
        #expect(codes == ["x.a]", "x.b]", "x.c]"])
    }

    @Test(arguments: [
        ("abc", 1, 1, "abc", "^"), ("abc", 2, 4, "abc", " ^~"), ("abc", 4, 4, "abc", "   ^"),
        ("abc", 9, 12, "abc", "   ^"), ("a\tb", 3, 4, "a   b", "    ^"),
        ("\tb", 1, 2, "    b", "^~~~"), ("日本b", 2, 3, "日本b", "  ^~"), ("日本b", 3, 4, "日本b", "    ^"),
        ("e\u{301}x", 3, 4, "e\u{301}x", " ^"), ("a\u{1B}[0mb", 2, 3, "a\\u{1B}[0mb", " ^~~~~~"),
        ("\u{202E}b", 2, 3, "\\u{202E}b", "        ^"), ("\u{9B}b", 2, 3, "\\u{9B}b", "      ^"),
    ])
    func `the caret is under its place`(
        text: String,
        start: Int,
        end: Int,
        shown: String,
        caret: String
    ) {
        #expect(snippet(text, start, end) == ["1 | " + shown, "  | " + caret])
    }

    @Test func `a range of several lines is underlined to the end of the first`() {
        let wide = SourceRange(
            start: SourcePosition(line: 1, column: 3),
            end: SourcePosition(line: 2, column: 2)
        )
        let text = render("a [b,\nc]\n", Diagnostic(code: "x.y", "m", at: wide))
        #expect(text.hasSuffix("1 | a [b,\n  |   ^~~\n"))
    }

    @Test(arguments: [1, 50, 500, 5_000, 99_999])
    func `a long line is cut around the caret`(column: Int) throws {
        let text = String(repeating: "x", count: column - 1) + "!"
        let long = text + String(repeating: "y", count: 100_000 - column)
        let lines = snippet(long, column, column + 1)
        let shown = try #require(lines.first)
        #expect(shown.unicodeScalars.count < 110)
        let caret = try #require(lines.last?.prefix { $0 != "^" })
        #expect(shown.dropFirst(caret.count).first == "!")
    }

    @Test func `many faults of one huge line cost no more than those of many lines`() {
        let text = String(repeating: "é, ", count: 300_000)
        let source = SourceText(name: "job.yaml", bytes: Array(text.utf8))
        let faults = (1...100).map {
            Diagnostic(code: "x.y", "m", at: range(1, $0 * 9_000, $0 * 9_000 + 1))
        }
        let report = FileDiagnostics(source: source, diagnostics: faults)
        #expect(TextRenderer(report).render().split(separator: "\n").count == 300)
    }

    @Test func `a heap of combining marks is cut too`() {
        let lines = snippet("a" + String(repeating: "\u{301}", count: 10_000) + "b", 1, 2)
        #expect(lines.allSatisfy { $0.unicodeScalars.count < 120 })
    }

    @Test func `text of the job file cannot act on the terminal`() {
        let fault = Diagnostic(
            code: "x.y",
            "key `a\u{1B}]0;x\u{7}\n`",
            at: range(1, 1, 2),
            notes: [.init("\u{202E}")],
            help: "\u{9B}31m"
        )
        let text = render("\u{1B}c", fault, name: "\u{1B}job.yaml")
        #expect(
            text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F || $0 == "\n" }
        )
        #expect(text.split(separator: "\n").count == 5)
    }

    @Test func `bytes that are not text are escaped`() {
        let source = SourceText(name: "job.yaml", bytes: [0x61, 0xE9, 0xFF])
        let fault = Diagnostic(code: "x.y", "m", at: range(1, 2, 2))
        let report = FileDiagnostics(source: source, diagnostics: [fault])
        #expect(TextRenderer(report).render().hasSuffix("1 | a\\xE9\\xFF\n  |  ^\n"))
    }

    @Test func `a place outside of the text has no line`() {
        let fault = Diagnostic(code: "x.y", "m", at: range(9, 1, 2))
        #expect(render("a\n", fault) == "job.yaml:9:1: error: m [x.y]\n")
    }

    @Test func `colour is written only when it is asked for`() {
        let fault = Diagnostic(code: "x.y", "m", at: range(1, 1, 2), help: "h")
        #expect(!render("a", fault).contains("\u{1B}"))
        #expect(
            render("a", fault, usesColor: true) == """
                \u{1B}[1mjob.yaml:1:1: \u{1B}[0m\u{1B}[1;31merror: \u{1B}[0m\u{1B}[1mm\u{1B}[0m [x.y]
                1 | a
                  | \u{1B}[1;32m^\u{1B}[0m
                  \u{1B}[1;36m= help: \u{1B}[0mh

                """
        )
    }
}
