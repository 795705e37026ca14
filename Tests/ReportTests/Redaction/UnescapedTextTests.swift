import Testing

@testable import Report

@Suite struct UnescapedTextTests {
    @Test(arguments: [
        ("a%20b%2F", UnescapedText.Escaping.percent, "a b/"), ("100%", .percent, "100%"),
        ("%2", .percent, "%2"), ("%G0%41", .percent, "%G0A"), ("%%41", .percent, "%A"),
        ("a+b%2B", .form, "a b+"), ("a+b%2B", .percent, "a+b+"),
        (#"\"\\\/\n\t"#, .json, "\"\\/\n\t"), (#"\u00e9\u20AC"#, .json, "é€"),
        (#"\ud83d\ude00x"#, .json, "😀x"), (#"\ud83dx"#, .json, "\u{FFFD}x"),
        (#"\q\u12\"#, .json, #"\q\u12\"#),
    ])
    func `one layer of escapes is removed, and other text stays`(
        text: String,
        escaping: UnescapedText.Escaping,
        plain: String
    ) throws {
        let unescaped = try #require(Self.unescaped(text, escaping))
        #expect(String(decoding: unescaped.bytes, as: UTF8.self) == plain)
        #expect(unescaped.offsets.count == unescaped.bytes.count + 1)
        #expect(unescaped.offsets == unescaped.offsets.sorted())
        #expect(unescaped.offsets.last == text.utf8.count)
    }

    @Test(arguments: [
        ("a%…", UnescapedText.Escaping.percent, "a…"), ("a%2…", .percent, "a…"),
        ("a%20…", .percent, "a …"), ("a%2\u{FFFD}…", .percent, "a\u{FFFD}…"),
        ("a%G…", .percent, "a%G…"), ("a%2.…", .percent, "a%2.…"), ("a+%2…", .form, "a …"),
        (#"a\…"#, .json, "a…"), (#"a\u…"#, .json, "a…"), (#"a\u00…"#, .json, "a…"),
        (#"a\u00e…"#, .json, "a…"), (#"a\u00e9…"#, .json, "aé…"), (#"a\\…"#, .json, #"a\…"#),
        (#"a\ud83d…"#, .json, "a…"), (#"a\ud83d\…"#, .json, "a…"), (#"a\ud83d\ude…"#, .json, "a…"),
        (#"a\ud83d\ude00…"#, .json, "a😀…"), (#"a\u00g…"#, .json, #"a\u00g…"#),
        (#"a\ud83d\n…"#, .json, "a\u{FFFD}\n…"), (#"a\u00 "#, .json, #"a\u00 "#),
    ])
    func `half of an escape before a cut is no byte`(
        text: String,
        escaping: UnescapedText.Escaping,
        plain: String
    ) throws {
        let unescaped = try #require(Self.unescaped(text, escaping))
        #expect(String(decoding: unescaped.bytes, as: UTF8.self) == plain)
        #expect(unescaped.offsets.count == unescaped.bytes.count + 1)
        #expect(unescaped.offsets.last == text.utf8.count)
    }

    @Test func `each byte knows where it came from`() throws {
        let text = try #require(Self.unescaped("a%41b", .percent))
        #expect(text.offsets == [0, 1, 4, 5])
    }

    @Test(arguments: UnescapedText.Escaping.allCases)
    func `a text without escapes is not copied`(escaping: UnescapedText.Escaping) {
        #expect(Self.unescaped("plain", escaping) == nil)
        #expect(Self.unescaped("", escaping) == nil)
    }

    @Test func `lines are joined without the white space between them`() throws {
        let text = try #require(Self.joined("a\r\n b\tc"))
        #expect(text.bytes == Array("abc".utf8) && text.offsets == [0, 4, 6, 7])
        #expect(Self.joined("abc") == nil)
    }

    private static func joined(_ text: String) -> UnescapedText? {
        UnescapedText(joiningLinesOf: text.utf8.span)
    }

    private static func unescaped(
        _ text: String,
        _ escaping: UnescapedText.Escaping
    ) -> UnescapedText? {
        UnescapedText(text.utf8.span, escaping)
    }
}
