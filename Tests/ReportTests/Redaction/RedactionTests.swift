import Testing

@testable import Report

@Suite struct RedactionTests {
    @Test(arguments: [
        ("http://u:p@h/", "http://‹redacted›@h/"), ("http://u@h", "http://‹redacted›@h"),
        ("https://a@b@h/x@y", "https://‹redacted›@h/x@y"),
        ("see http://a:b@c/ and ftp://d@e", "see http://‹redacted›@c/ and ftp://‹redacted›@e"),
        ("http://h/a@b", "http://h/a@b"), ("a@b", "a@b"), ("http://h?a=b@c", "http://h?a=b@c"),
        ("see https://user:pas…", "see https://‹redacted›…"), ("http://h/a…", "http://h/a…"),
        ("http://@h", "http://@h"), ("://", "://"), ("", ""),
        ("http://é:ü@h", "http://‹redacted›@h"), ("//u:p@h/", "//‹redacted›@h/"),
        ("to `//u:p@h/`", "to `//‹redacted›@h/`"), ("http:///u:p@h/", "http:///‹redacted›@h/"),
        (#"{"url":"https:\/\/u:p@h\/"}"#, #"{"url":"https:\/\/‹redacted›@h\/"}"#),
        (#"\\u:p@h"#, #"\\‹redacted›@h"#), ("http://h/a//b@c", "http://h/a//b@c"),
        ("https://cdn.h/npm/@x/y", "https://cdn.h/npm/@x/y"),
    ])
    func `user information of URLs is redacted in any place`(text: String, result: String) {
        #expect(Redaction.text(text, maximumBytes: 1000) == result)
    }

    @Test(arguments: [
        ("//u:p w@h/", "//‹redacted›@h/"), ("http://u:\"p<@h/", "http://‹redacted›@h/"),
        ("/a@b", "/a@b"), ("a@b", "a@b"), (" //u:p@h?x@y", " //‹redacted›@h?x@y"),
        ("http:/u@h", "http:/‹redacted›@h"), ("http://h/x@y", "http://h/x@y"),
    ])
    func `any user information of a Location is redacted`(
        text: String,
        result: String
    ) {
        #expect(Redaction.reference(text) == result)
    }

    @Test func `a long text is cut between characters and says so`() {
        #expect(Redaction.text("ééé", maximumBytes: 6) == "ééé")
        #expect(Redaction.text("éééé", maximumBytes: 5) == "éé... (4 more bytes)")
        let url = "http://" + String(repeating: "p", count: 9000) + "@h"
        #expect(Redaction.text(url, maximumBytes: 8192) == "http://‹redacted›@h")
    }

    @Test(arguments: [
        ("Authorization", true), ("COOKIE", true), ("set-cookie", true),
        ("proxy-authorization", true), ("Cookies", false), ("X-Authorization", false), ("", false),
        ("WWW-Authenticate", false),
    ])
    func `fields that carry credentials are known by name`(name: String, isSecret: Bool) {
        #expect(Redaction.isSecretField(name.utf8.span) == isSecret)
    }
}
