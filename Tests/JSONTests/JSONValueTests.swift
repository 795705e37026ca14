import JSON
import Testing

@Suite struct JSONValueTests {
    @Test func `a document keeps order, spelling and escapes`() throws {
        let value = try JSONValue(#" {"b":[1,-0.5e+3,true,null],"a":"\u00e9\n\ud83d\ude42\/"} "#)
        #expect(value.members.map(\.name) == ["b", "a"])
        #expect(value["b"]?[1]?.double == -500)
        #expect(value["b"]?[3]?.isNull == true)
        #expect(value["a"]?.string == "é\n🙂/")
        #expect(value["b"]?[4] == nil)
    }

    @Test(arguments: [
        "", "{", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{a:1}", "01", "1.", "-", "+1",
        "nul", "\"a", "\"\u{1}\"", "\"\\x\"", "\"\\ud800\"", "\"\\u00g0\"", "1 1", "[1]]",
        "{,}", "[,]", "[1}", "{\"a\" 1}", "{\"a\"}", "[1", "{\"a\":[1,{\"b\":2,\"b\":3}]}", "1e",
        "-a",
        "\u{FEFF}1", String(repeating: "[", count: 600), "[\(String(repeating: "[],", count: 9))",
    ])
    func `invalid JSON is an error`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(bytes: [0x22, 0xFF, 0x22]) }
    }

    @Test func `512 nested collections are read, and one more is not`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[{\"a\":", count: depth / 2) + "1"
                + String(repeating: "}]", count: depth / 2)
        }
        #expect(try JSONValue(nested(512)).elements.count == 1)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(nested(514)) }
    }

    @Test func `names are unique in each object of any size`() throws {
        let members = (0..<100).map { "\"\($0)\":{\"0\":\($0)}" }.joined(separator: ",")
        #expect(try JSONValue("{\(members)}").members.count == 100)
        #expect(throws: JSONSyntaxError.self) { try JSONValue("{\(members),\"7\":null}") }
    }

    @Test(arguments: [0, 20])
    func `two spellings of a letter are two names`(others: Int) throws {
        let more = (0..<others).map { ",\"\($0)\":0" }.joined()
        let value = try JSONValue("{\"\u{E9}\":1,\"e\u{301}\":2\(more)}")
        #expect(value["\u{E9}"] == .number("1"))
        #expect(value["e\u{301}"] == .number("2"))
        #expect(JSONPointer("/e\u{301}")?.resolve(in: value) == .number("2"))
    }

    @Test(arguments: [
        #"{"a":[1,2.50,-0],"b":{},"c":[],"d":"x\ny","e":null,"f":true}"#, "[]", "\"\"", "1e5",
    ])
    func `a value is written as it was read`(text: String) throws {
        var writer = JSONWriter()
        writer.value(try JSONValue(text))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test func `a document has a million values at most`() throws {
        let zeros = String(repeating: "0,", count: 999_998)
        #expect(try JSONValue("[\(zeros)0]").elements.count == 999_999)
        #expect(throws: JSONSyntaxError.self) { try JSONValue("[\(zeros)0,0]") }
    }
}
