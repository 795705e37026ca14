import Testing
import TransferModel

/// The forms of RFC 8089, and texts that name no file of this machine.
@Suite struct FileURLTests {
    @Test(arguments: [
        ("file:///a/b", "/a/b"), ("FILE:///a", "/a"), ("file:/a", "/a"),
        ("file://localhost/a", "/a"),
        ("file://LOCALHOST/a", "/a"), ("file:///a%20b", "/a b"), ("file:///a b", "/a b"),
        ("file:///%C3%BC", "/\u{FC}"), ("file:///\u{FC}", "/\u{FC}"),
        ("file:///a//b/./c", "/a//b/./c"),
        ("file:///a%23%3F%25", "/a#?%"), ("file:////a", "//a"), ("file:///a...", "/a..."),
    ])
    func `a file URL names an absolute path`(text: String, path: String) throws {
        let url = try FileURL(text)
        #expect(url.path == path)
        #expect(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(try FileURL(url.text).path == path)
        #expect(TransferURL(url).isLocal)
    }

    @Test(arguments: [
        ("file:a", FileURLFault.relativePath), ("file://a", .relativePath),
        ("file:", .relativePath),
        ("file://a.example/b", .otherHost), ("file://127.0.0.1/b", .otherHost),
        ("file://u@localhost/b", .otherHost), ("file://localhost:80/b", .otherHost),
        ("file:///", .folder), ("file:///a/", .folder), ("file:///a/../b", .parent),
        ("file:///a/%2e%2E", .parent), ("file:///a%2Fb", .badEscape), ("file:///a%00", .badEscape),
        ("file:///a%", .badEscape), ("file:///%FF", .badEscape), ("file:///a?b", .delimiter("?")),
        ("file:///a#b", .delimiter("#")), ("file:///a\nb", .badCharacter(offset: 9)),
        ("file:///a\\b", .badCharacter(offset: 9)), ("http://a.example/", .otherScheme),
    ])
    func `a text that names no file of this machine is refused`(text: String, fault: FileURLFault) {
        #expect(throws: fault) { try FileURL(text) }
    }

    @Test(arguments: [
        ("/a", "b"), ("/a/", "b"), ("/", "a/b"), ("/a/b", nil), ("/a/b/c", nil), ("/b", nil),
        ("/A", nil),
    ])
    func `a path is below a folder when the folder is all of its beginning`(
        folder: String,
        rest: String?
    ) throws {
        #expect(try FileURL("file:///a/b").path(below: folder) == rest)
        #expect(try FileURL("file:///ab").path(below: "/a") == nil)
    }
}
