import JSON
import Testing

@Suite struct JSONWriterTests {
    private func text(_ writer: JSONWriter) -> String {
        String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `members keep the order in which they were written`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("b")
        writer.integer(-12)
        writer.key("a")
        writer.beginArray()
        writer.bool(true)
        writer.null()
        writer.endArray()
        writer.endObject()
        #expect(text(writer) == #"{"b":-12,"a":[true,null]}"#)
    }

    @Test func `control characters, quotes and DEL are escaped`() {
        var writer = JSONWriter()
        writer.string("a\"b\\c\n\u{1}\u{7F}/é")
        #expect(text(writer) == #""a\"b\\c\n\u0001\u007f/é""#)
    }

    @Test func `bytes above 7F become the characters of the same numbers`() {
        var writer = JSONWriter()
        writer.latin1([0x41, 0xE9, 0xFF])
        #expect(text(writer) == "\"Aéÿ\"")
    }

    @Test(arguments: [Int64.min, -1, 0, 7, Int64.max])
    func `integers are written whole`(value: Int64) {
        var writer = JSONWriter()
        writer.integer(value)
        #expect(text(writer) == String(value))
    }

    @Test func `a pretty document indents by two spaces`() {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.integer(1)
        writer.integer(2)
        writer.endArray()
        writer.key("b")
        writer.beginObject()
        writer.endObject()
        writer.endObject()
        #expect(text(writer) == "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}")
    }

    @Test func `a body has the bytes of JSONEncoder`() {
        var writer = JSONWriter(isPretty: true, escapesSlashes: true, followsJSONEncoder: true)
        writer.beginObject()
        writer.key("a/b")
        writer.string("\u{7F}\u{8}\u{C}\u{1}")
        writer.key("empty")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        let expected = "{\n  \"a\\/b\" : \"\u{7F}\\b\\f\\u0001\",\n  \"empty\" : [\n\n  ]\n}"
        #expect(text(writer) == expected)
    }

    @Test(arguments: [
        (1.0, "1"), (-0.0, "-0"), (0.1, "0.1"), (1e16, "1e+16"), (5e-324, "5e-324"),
        (100.25, "100.25"),
    ])
    func `numbers are as short as they can be`(value: Double, expected: String) {
        var writer = JSONWriter()
        writer.number(value)
        #expect(text(writer) == expected)
    }
}
