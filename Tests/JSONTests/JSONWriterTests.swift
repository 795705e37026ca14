import JSON
import Testing

@Suite struct JSONWriterTests {
    private func text(_ writer: borrowing JSONWriter) -> String {
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
        writer.latin1(([0x41, 0xE9, 0xFF] as [UInt8]).span)
        #expect(text(writer) == "\"Aéÿ\"")
    }

    @Test(arguments: [Int64.min, -1, 0, 7, Int64.max])
    func `integers are written whole`(value: Int64) {
        var writer = JSONWriter()
        writer.integer(value)
        #expect(text(writer) == String(value))
    }

    @Test(arguments: [
        (0, "0"), (2, "2"), (-0.5, "-0.5"), (1e16, "1e+16"), (0.1, "0.1"), (1e-300, "1e-300"),
    ])
    func `a number is the shortest text that reads as the same`(value: Double, expected: String) {
        var writer = JSONWriter()
        writer.number(value)
        #expect(text(writer) == expected)
    }

    @Test func `a document can have every byte of Foundation's encoder`() {
        var writer = JSONWriter(isPretty: true, escapesSlashes: true, followsJSONEncoder: true)
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.endArray()
        writer.key("b")
        writer.string("/\u{8}\u{C}\u{7F}\u{85}\u{1}")
        writer.endObject()
        #expect(
            text(writer)
                == "{\n  \"a\" : [\n\n  ],\n  \"b\" : \"\\/\\b\\f\u{7F}\u{85}\\u0001\"\n}"
        )
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
        (1.0, "1"), (-0.0, "-0"), (0.1, "0.1"), (1e16, "1e+16"), (0.5, "0.5"),
        (100.25, "100.25"), (-3, "-3"), (999_999_999_999_999, "999999999999999"),
        (1e15, "1000000000000000"),
    ])
    func `numbers are as short as they can be`(value: Double, expected: String) {
        var writer = JSONWriter()
        writer.number(value)
        #expect(text(writer) == expected)
    }

    @Test(arguments: [
        ("\u{80}\u{9B}31m\u{9F}", "\\u0080\\u009b31m\\u009f"), ("\u{A0}\u{BF}ÿ", "\u{A0}\u{BF}ÿ"),
        ("\u{0}\u{8}\u{C}", "\\u0000\\u0008\\u000c"), ("€🙂", "€🙂"), ("", ""),
    ])
    func `text that could drive a terminal is escaped, other text is not`(
        value: String,
        expected: String
    ) {
        var writer = JSONWriter()
        writer.string(value)
        #expect(text(writer) == "\"\(expected)\"")
    }

    @Test func `controls among bytes are escaped`() {
        var writer = JSONWriter()
        writer.latin1(([0x1B, 0x9B, 0x22, 0x7F, 0xA0, 0xC2] as [UInt8]).span)
        #expect(text(writer) == "\"\\u001b\\u009b\\\"\\u007f\u{A0}Â\"")
    }

    @Test func `slashes are escaped when asked for`() {
        var writer = JSONWriter(escapesSlashes: true)
        writer.string("a/b")
        writer.reset()
        writer.string("/")
        #expect(text(writer) == #""\/""#)
    }

    @Test func `drained text is gone and open arrays stay open`() {
        var writer = JSONWriter()
        var parts: [String] = []
        writer.beginArray()
        writer.integer(1)
        writer.drain { text in
            parts.append(String(decoding: text.indices.map { text[$0] }, as: UTF8.self))
        }
        writer.integer(2)
        writer.endArray()
        writer.drain { text in
            parts.append(String(decoding: text.indices.map { text[$0] }, as: UTF8.self))
        }
        #expect(parts == ["[1", ",2]"])
        #expect(writer.bytes.isEmpty)
    }

    @Test(arguments: [
        (false, #"{"a":1,"b":{"c":"d"}}"#),
        (true, "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": \"d\"\n  }\n}"),
    ])
    func `plain names and texts are separated and indented like others`(
        isPretty: Bool,
        expected: String
    ) {
        var writer = JSONWriter(isPretty: isPretty)
        writer.beginObject()
        writer.key(plain: "a")
        writer.integer(1)
        writer.key(plain: "b")
        writer.beginObject()
        writer.key(plain: "c")
        writer.string(plain: "d")
        writer.endObject()
        writer.endObject()
        #expect(text(writer) == expected)
    }

    @Test func `the text of another writer is one value`() {
        var part = JSONWriter()
        part.beginArray()
        part.integer(1)
        part.endArray()
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(part)
        writer.value(part)
        writer.endArray()
        #expect(text(writer) == "[[1],[1]]")
    }
}
