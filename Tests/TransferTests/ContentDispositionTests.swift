import TestSupport
import Testing

@testable import Transfer

/// Fields as servers write them, after the cases of RFC 6266, RFC 8187 and
/// http://test.greenbytes.de/tech/tc2231/.
@Suite struct ContentDispositionTests {
    private static func filename(_ value: String) -> String? {
        ContentDisposition(value.utf8).filename
    }

    // RFC 6266 §4.1
    @Test(arguments: [
        (#"attachment; filename="foo.html""#, "foo.html"),
        (#"attachment; filename=foo.html"#, "foo.html"),
        (#"inline; filename="foo.html""#, "foo.html"),
        (#"ATTACHMENT; FILENAME="foo.html""#, "foo.html"),
        (#"attachment;filename="foo.html";"#, "foo.html"),
        (#"attachment ; filename = "foo.html""#, "foo.html"),
        (#"attachment; size=12; filename="foo.html"; creation-date="x""#, "foo.html"),
        (#"attachment; filename="f\oo.html""#, "foo.html"),
        (#"attachment; filename="\"quoting\" tested.html""#, #""quoting" tested.html"#),
        (#"attachment; filename="here's a semicolon;.html""#, "here's a semicolon;.html"),
        (#"attachment; foo="bar"; filename="foo.html""#, "foo.html"),
        (#"attachment; foo="\"\\"; filename="foo.html""#, "foo.html"),
        (#"attachment; name="bad.txt"; filename="good.txt""#, "good.txt"),
        (#"attachment; filename='foo.html'"#, "'foo.html'"),
        (#"attachment; filename="foo-%41.html""#, "foo-%41.html"),
        (#"attachment; filename="foo-ä.html""#, "foo-ä.html"),
        (#"attachment; filename="/foo.html""#, "/foo.html"),
    ])
    func `a quoted name and a token are accepted`(value: String, expected: String) {
        #expect(Self.filename(value) == expected)
    }

    // RFC 8187 §3.2, RFC 6266 §4.3
    @Test(arguments: [
        ("attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
        ("attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
        ("attachment; filename*=utf-8'de'foo-%C3%A4.html", "foo-ä.html"),
        ("attachment; filename*= UTF-8''foo.html", "foo.html"),
        ("attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
        ("attachment; filename*=UTF-8''%5cfoo.html", "\\foo.html"),
        (#"attachment; filename="plain.html"; filename*=UTF-8''ext%C3%A4.html"#, "extä.html"),
        (#"attachment; filename*=UTF-8''ext%C3%A4.html; filename="plain.html""#, "extä.html"),
    ])
    func `an extended name is decoded and preferred`(value: String, expected: String) {
        #expect(Self.filename(value) == expected)
    }

    @Test(arguments: [
        "iso-8859-15''foo.html", "''foo.html", "UTF-8'foo.html", "foo.html", "UTF-8''foo%",
        "UTF-8''f%oo.html", "utf-8''foo-%E4.html", "UTF-8''%c3",
    ])
    func `an extended name that cannot be decoded leaves the plain one`(extended: String) {
        let value = "attachment; filename*=\(extended); filename=plain.html"
        #expect(Self.filename(value) == "plain.html")
        #expect(Self.filename("attachment; filename*=\(extended)") == nil)
    }

    @Test(arguments: [
        (#"filename="foo.html""#, "foo.html"),
        (#"filename=foo.html; attachment"#, "foo.html"),
        (#"=foo; filename=foo.html"#, "foo.html"),
        (#"attachment; filename=foo bar.html"#, "foo bar.html"),
        (#"attachment; filename=foo,bar.html"#, "foo,bar.html"),
        (#"attachment; filename="foo.html"; filename="bar.html""#, "foo.html"),
        (#"attachment; filename="foo.html".txt;"#, "foo.html"),
        (#"attachment; filename="foo.html"#, "foo.html"),
        (#"attachment; filename="foo\"#, #"foo\"#),
        (#";;; ;filename=foo.html"#, "foo.html"),
        ("attachment; filename=", ""),
    ])
    func `a broken field is read as far as it makes sense`(value: String, expected: String) {
        #expect(Self.filename(value) == expected)
    }

    @Test(arguments: ["", "attachment", "inline;", "attachment; name=foo", "filename", "=", "\""])
    func `a field without a name has none`(value: String) {
        #expect(Self.filename(value) == nil)
    }

    @Test func `no bytes make it fail`() {
        var generator = SplitMix64.forTests()
        let alphabet = Array(#";="\'%*filename u-8 "#.utf8) + [0, 0xC3, 0xFF]
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            _ = ContentDisposition(bytes)
        }
    }

    @Test func `bytes that are no UTF-8 are ISO-8859-1`() {
        let value = Array(#"attachment; filename="foo-"#.utf8) + [0xE4] + Array(#".html""#.utf8)
        #expect(ContentDisposition(value).filename == "foo-ä.html")
    }
}
