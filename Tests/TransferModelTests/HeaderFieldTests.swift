import Testing
import TransferModel

@Suite struct HeaderFieldTests {
    @Test(arguments: [
        ("Accept", true), ("ACCEPT-language", true), ("If-None-Match", true), ("user-agent", true),
        ("Range", true), ("Cache-Control", true), ("Authorization", false), ("Cookie", false),
        ("X-Api-Key", false), ("Accepted", false), ("Iffy", false), ("Referer", false),
    ])
    func `only fields that cannot be secret cross to another origin`(name: String, crosses: Bool) {
        #expect(HeaderField(name: name, value: "v").mayCrossOrigins == crosses)
    }
}

@Suite struct HeaderFieldsTests {
    private func fields(_ lines: String...) -> HeaderFields {
        var fields = HeaderFields()
        for line in lines { fields.append(line: line.utf8.span) }
        return fields
    }

    @Test func `lines keep their order, their repeats and their case`() {
        let fields = fields("Set-Cookie: a\r\n", "ETag:\"x\"\r\n", "set-cookie:  b \t\r\n")
        #expect(
            fields.fields == [
                HeaderField(name: "Set-Cookie", value: "a"),
                HeaderField(name: "ETag", value: "\"x\""),
                HeaderField(name: "set-cookie", value: "b"),
            ]
        )
        #expect(fields.count == 3)
    }

    @Test func `a name is found in any case`() {
        let fields = fields("Accept: a", "ACCEPT: b", "Accept-Ranges: c")
        #expect(fields.values(of: "accept") == ["a", "b"])
        #expect(fields["aCCept"] == "a")
        #expect(fields["accep"] == nil)
        #expect(HeaderFields()["accept"] == nil)
    }

    @Test(arguments: ["", "\r\n", "no colon", ": no name", "HTTP/1.1 200 OK"])
    func `an invalid field line is not kept`(line: String) {
        var fields = HeaderFields()
        let isKept = fields.append(line: line.utf8.span)
        #expect(!isKept)
        #expect(fields.isEmpty)
    }

    // RFC 9112 §5.2
    @Test func `a folded line continues the value before it`() {
        let folded = fields("X-Long: one\r\n", "\ttwo: three\r\n", "Next: x\r\n")
        #expect(folded["x-long"] == "one\ttwo: three")
        #expect(folded["next"] == "x")
        #expect(folded.count == 2)
        #expect(fields(" first: x").isEmpty)
    }

    @Test func `bytes above 7F are the characters of the same numbers`() {
        var fields = HeaderFields()
        let bytes: [UInt8] = Array("X: ".utf8) + [0xE9, 0xFF, 0x80]
        fields.append(line: bytes.span)
        #expect(fields["x"] == "\u{E9}\u{FF}\u{80}")
    }

    @Test func `a field is kept as it is sent, in UTF-8`() {
        let fields = HeaderFields([HeaderField(name: "X", value: "\u{E9}\u{20AC}")])
        #expect(fields.firstValue(of: "x")?.elementsEqual("\u{E9}\u{20AC}".utf8) == true)
        #expect(fields.allValues(of: "X").count == 1)
    }

    @Test func `the lines of a list make the same list`() {
        for list in [HeaderFields(), fields("A:"), fields("A: 1", "b:2", "A: \u{E9}:", "C: ")] {
            #expect(HeaderFields(lines: list.lines.span, count: list.count) == list)
        }
    }

    @Test func `two spellings of a letter are two values`() {
        let one = HeaderField(name: "X", value: "\u{E9}")
        #expect(one == one)
        #expect(one != HeaderField(name: "X", value: "e\u{301}"))
    }

    @Test func `a field cannot bring a second line with it`() {
        let fields = HeaderFields([HeaderField(name: "A\r\nB", value: "x\r\nC: y\u{20AC}")])
        #expect(fields.fields == [HeaderField(name: "AB", value: "xC: y\u{E2}\u{82}\u{AC}")])
    }

    @Test func `values may be empty and may hold colons and line feeds become spaces`() {
        #expect(fields("A:")["a"] == "")
        #expect(fields("A:  ")["a"] == "")
        #expect(fields("A: b:c")["a"] == "b:c")
        #expect(fields("A: b\nc")["a"] == "b c")
    }
}
