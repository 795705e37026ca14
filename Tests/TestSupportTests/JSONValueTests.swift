import TestSupport
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
        String(repeating: "[", count: 600),
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONValue.Fault.self) { try JSONValue(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONValue.Fault.self) { try JSONValue(bytes: [0x22, 0xFF, 0x22]) }
    }
}
