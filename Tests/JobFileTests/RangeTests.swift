import Diagnostics
import JobFile
import Testing

@Suite struct RangeTests {
    /// The part of a text that the range of `key`'s value covers.
    private func covered(_ text: String, key: String = "key") throws -> String {
        let document = try document(text)
        let range = document.range(of: try document.value(key))
        let lines = LineIndex(document.source)
        let start = try #require(lines.offset(of: range.start))
        let end = try #require(lines.offset(of: range.end))
        return String(decoding: document.source.bytes[start..<end], as: UTF8.self)
    }

    @Test(arguments: [
        "plain", "plain words", "'it''s'", #""esc\"aped \u00e9""#, "é and 日本", "\"é\"", "[1, 2]",
        "{a: {b: 1}}", "[\n  1,\n  2\n]", "\"two\n  lines\"", "two\n  lines", "[]",
    ])
    func `a value's range is its text`(value: String) throws {
        #expect(try covered("ключ: 1\nkey: \(value)   # comment\nlast: 1\n") == value)
        #expect(try covered("key: \(value)") == value)
        #expect(try covered("{ключ: 1, key: \(value) }") == value)
    }

    @Test func `a block collection reaches to the end of its last value`() throws {
        let text = "key:\n  - a\n  - b: [1,\n      2]\n\nlast: 1\n"
        #expect(try covered(text) == "- a\n  - b: [1,\n      2]")
    }

    @Test(arguments: [
        "&anchor ", "!!str ", "&anchor !!str ", "!!str   &anchor\t", "&a # why\n  ",
    ])
    func `an anchor and a tag do not belong to a scalar`(properties: String) throws {
        #expect(try covered("key: \(properties)value\n") == "value")
        #expect(try covered("key: \(properties)\"quoted\"\n") == "\"quoted\"")
        let document = try document("key: \(properties)value")
        #expect(document.text(of: try document.value("key")) == "value")
    }

    @Test func `an anchor does not belong to a collection`() throws {
        #expect(try covered("key: &a {b: 1}\n") == "{b: 1}")
        #expect(try covered("key: !!seq &a [b]\n") == "[b]")
        #expect(try covered("key: &a\n  b: 1\n") == "b: 1")
    }

    @Test func `a missing value is a point`() throws {
        let document = try document("key:\nlast: &a\n")
        let range = document.range(of: try document.value("key"))
        #expect(range == SourceRange(SourcePosition(line: 1, column: 5)))
        #expect(document.scalar(of: try document.value("last")) == .null)
    }

    @Test(arguments: ["? key", "? key\n", "a: 1\n? key"])
    func `a missing value at the end is placed after its key`(text: String) throws {
        let document = try document(text)
        let value = document.range(of: try document.value("key"))
        let lines = LineIndex(document.source)
        #expect(value.start.line <= lines.lastLine)
        #expect(lines.offset(of: value.start) == text.utf8.count)
    }

    @Test func `columns count Unicode scalars`() throws {
        let document = try document("\"e\u{301}😀\": [é, x]\n")
        let elements = document.elements(of: try document.value("e\u{301}😀"))
        #expect(elements.map { document.range(of: $0).start.column } == [9, 12])
    }
}
