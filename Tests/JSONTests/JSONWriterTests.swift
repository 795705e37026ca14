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
}
