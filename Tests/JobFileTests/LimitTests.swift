import Diagnostics
import JobFile
import Testing

/// Hostile inputs: each would take minutes or gigabytes if its limit did not stop it.
@Suite struct LimitTests {
    private func faults(_ text: String) -> [Diagnostic] {
        Document.parse(Array(text.utf8), name: "job.yaml").diagnostics
    }

    private func repeating(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "[{", "- ? "])
    func `endless nesting is stopped at the limit`(opening: String) {
        let result = Document.parse(Array(repeating(opening, 100_000).utf8), name: "job.yaml")
        #expect(result.document == nil)
        #expect(result.diagnostics.last?.code == "yaml.nesting")
    }

    @Test func `64 levels are read, and one more is not`() throws {
        let document = try document(repeating("[", 64) + repeating("]", 64))
        #expect(document.count(of: document.root) == 1)
        let fault = try #require(faults(repeating("[", 65) + repeating("]", 65)).first)
        #expect(fault.code == "yaml.nesting")
        #expect(fault.range.start == SourcePosition(line: 1, column: 65))
    }

    @Test func `an alias bomb is stopped at the alias that passes the limit`() throws {
        var text = "l0: &l0 [\(repeating("x, ", 10))]\n"
        for level in 1...12 {
            text += "l\(level): &l\(level) [\(repeating("*l\(level - 1), ", 10))]\n"
        }
        let result = Document.parse(Array(text.utf8), name: "job.yaml")
        #expect(result.document == nil)
        #expect(result.diagnostics.map(\.code) == ["yaml.alias-expansion"])
        #expect(result.diagnostics.first?.range.start.line == 7)
    }

    @Test func `a long text behind many aliases is stopped at the limit`() throws {
        let long = "- &long \(repeating("x", 1 << 20))\n"
        let list = "- &list [\(repeating("*long, ", 15))]\n"
        #expect(faults(long + list + repeating("- *list\n", 16)).isEmpty)
        let fault = try #require(faults(long + list + repeating("- *list\n", 40)).first)
        #expect(fault.code == "yaml.alias-expansion")
        #expect(fault.message.hasSuffix("256 MiB of text"))
        #expect(fault.range.start == SourcePosition(line: 19, column: 3))
    }

    @Test func `a chain of merges is as deep as its mappings`() {
        var text = "m0: &m0 {a: 1}\n"
        for level in 1...100 { text += "m\(level): &m\(level) {<<: *m\(level - 1)}\n" }
        #expect(faults(text).map(\.code) == ["yaml.nesting"])
    }

    @Test func `a chain of sixty merges is followed`() throws {
        var text = "m0: &m0 {a: 1}\n"
        for level in 1...60 { text += "m\(level): &m\(level) {<<: *m\(level - 1), k\(level): 1}\n" }
        let document = try document(text)
        #expect(document.count(of: try document.value("m60")) == 61)
    }

    @Test func `too many values are refused where the limit is passed`() {
        let codes = faults("[" + repeating("a,", DocumentLimits.nodes) + "]").map(\.code)
        #expect(codes == ["yaml.too-large"])
    }

    @Test func `too many bytes are refused before they are read`() {
        let bytes = [UInt8](repeating: 0xFF, count: DocumentLimits.bytes + 1)
        let result = Document.parse(bytes, name: "job.yaml")
        #expect(result.diagnostics.map(\.code) == ["yaml.too-large"])
        #expect(result.document == nil)
    }

    // libyaml compares every directive with all before it.
    @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}"])
    func `more than sixteen TAG directives are refused`(lineBreak: String) throws {
        let lines = (0..<100_000).map { "%TAG !a\($0)! tag:example.com:\(lineBreak)" }
        let fault = try #require(faults(lines.joined() + "---\na: 1\n").first)
        #expect(fault.code == "yaml.too-large")
        #expect(fault.range.start == SourcePosition(line: 17, column: 1))
        #expect(faults(lines.prefix(16).joined() + "---\na: 1\n").isEmpty)
    }

    @Test func `a large mapping is searched for repeated keys in one go`() throws {
        var text = ""
        for number in 0..<100_000 { text += "key-\(number): 1\n" }
        let document = try document(text)
        #expect(document.count(of: document.root) == 100_000)
        let fault = try #require(faults(text + "key-7: 2\n").first)
        #expect(fault.range.start.line == 100_001)
        #expect(fault.notes.first?.range?.start.line == 8)
    }

    @Test func `a file with more than a thousand faults is not read further`() {
        let found = faults(repeating("key: 1\n", 100_000))
        #expect(found.count == DocumentLimits.diagnostics + 1)
        #expect(found.last?.code == "yaml.too-many-faults")
        #expect(found.first?.range.start.line == 2)
    }

    @Test func `faults are in file order`() {
        let found = faults("a: {b: 1, b: 2}\nc: !x 1\na: {d: 1, d: 2}\n")
        #expect(found.map(\.range.start.line) == [1, 2, 3, 3])
    }

    @Test(arguments: [
        "&", "*", "!", "%", "@", "`", "\"", "'", "[", "]", "{", "}", ",", ":", "?", "-", "|", ">",
        "---", "...", "\t", "\u{85}", "\u{2028}", "<<: ", "? : ", "!!", "!<", "&a *a", "%TAG",
        "\"\\", "- -\t-", "a: b: c", "!!int", "{? }", "[? ]", "{: }", "#", "\r", "|9", ">+-",
    ])
    func `no start of a text traps`(start: String) {
        for text in [start, "a: \(start)", "[\(start)", "{\(start)", "\(start)\n\(start)\n  x: 1"] {
            let source = SourceText(name: "job.yaml", bytes: Array(text.utf8))
            let result = Document.parse(source.bytes, name: source.name)
            let report = FileDiagnostics(source: source, diagnostics: result.diagnostics)
            #expect(result.document != nil || !TextRenderer(report).render().isEmpty)
        }
    }
}
