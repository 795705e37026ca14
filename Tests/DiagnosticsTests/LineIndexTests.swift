import Diagnostics
import Testing

@Suite struct LineIndexTests {
    private func lines(_ text: String) -> [String] {
        let source = SourceText(name: "job.yaml", bytes: Array(text.utf8))
        let index = LineIndex(source)
        return (1...index.lastLine).map { line in
            index.range(of: line).map { String(decoding: source.bytes[$0], as: UTF8.self) }
                ?? "none"
        }
    }

    @Test(arguments: [
        ("", [""]), ("a", ["a"]), ("a\n", ["a", ""]), ("a\nb", ["a", "b"]), ("\n\n", ["", "", ""]),
        ("a\r\nb\rc", ["a", "b", "c"]), ("é\u{85}ü\u{2028}日\u{2029}", ["é", "ü", "日", ""]),
        ("\u{FEFF}a\nb", ["a", "b"]), ("a\n\rb", ["a", "", "b"]),
    ])
    func `a text ends its lines at every break of YAML`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test func `every line of a long text is found`() {
        let expected = (0..<1_000).map { "line \($0)" }
        #expect(lines(expected.joined(separator: "\n")) == expected)
    }

    @Test(arguments: [0, -1, 3, 1_000])
    func `a line that is not there has no range`(line: Int) {
        #expect(LineIndex(SourceText(name: "", bytes: Array("a\nb".utf8))).range(of: line) == nil)
    }

    @Test func `offsets and positions agree`() {
        let source = SourceText(name: "", bytes: Array("\u{FEFF}aé\r\n日本\u{85}x".utf8))
        let index = LineIndex(source)
        for (line, column) in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)] {
            let position = SourcePosition(line: line, column: column)
            #expect(index.offset(of: position).map { source.position(at: $0) } == position)
        }
        #expect(index.offset(of: SourcePosition(line: 3, column: 99)) == source.bytes.count)
        #expect(index.offset(of: SourcePosition(line: 4, column: 1)) == nil)
    }

    // RFC 3629 §3 and the table of Unicode §3.9.
    @Test(arguments: [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x80, 0x80], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xFF], [],
    ])
    func `a byte that is not UTF-8 has no scalar`(bytes: [UInt8]) {
        #expect(bytes.span.scalar(at: 0) == nil)
    }

    @Test(arguments: ["a", "\u{7F}", "\u{80}", "é", "\u{7FF}", "\u{800}", "日", "\u{FFFF}", "😀"])
    func `a scalar is read from its bytes`(text: String) {
        let bytes = Array(text.utf8)
        let found = bytes.span.scalar(at: 0)
        #expect(found?.scalar == text.unicodeScalars.first)
        #expect(found?.length == bytes.count)
    }

    @Test func `an excerpt is the text, or its first eighty scalars`() {
        let text = String(repeating: "é", count: 80)
        #expect(text.excerpt == text)
        #expect((text + "x").excerpt == text + "…")
    }
}
