import JSON
import Testing

@Suite struct JSONPointerTests {
    /// The document of RFC 6901 §5.
    private static let document = #"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
        """#

    @Test(arguments: [
        ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
        ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `a pointer leads to its value`(text: String, expected: String) throws {
        let pointer = try #require(JSONPointer(text))
        let document = try JSONValue(Self.document)
        #expect(pointer.resolve(in: document) == (try JSONValue(expected)))
        #expect(pointer.description == text)
    }

    // RFC 6901 §3: a pointer is a sequence of Unicode characters, of which each slash separates.
    @Test func `an accent behind a slash belongs to the name`() throws {
        let document = try JSONValue("{\"\u{301}a\":1}")
        #expect(JSONPointer("/\u{301}a")?.resolve(in: document) == .number("1"))
    }

    @Test func `the empty pointer is the whole document`() throws {
        let document = try JSONValue(Self.document)
        #expect(JSONPointer("")?.resolve(in: document) == document)
    }

    @Test(arguments: ["/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/bar", "/nope", "/foo/0/x"])
    func `a pointer to nothing leads nowhere`(text: String) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.resolve(in: try JSONValue(Self.document)) == nil)
    }

    @Test func `escapes are undone once`() throws {
        #expect(JSONPointer("/~01")?.resolve(in: try JSONValue(#"{"~1":true}"#)) == .bool(true))
    }

    @Test(arguments: ["foo", "foo/bar", "/a~2", "/a~", "/~"])
    func `an invalid pointer is nil`(text: String) {
        #expect(JSONPointer(text) == nil)
    }
}
