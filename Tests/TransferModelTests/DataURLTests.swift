import TestSupport
import Testing
import TransferModel

/// The examples of RFC 2397 §4 and cases of the web platform tests (`fetch/data-urls`).
@Suite struct DataURLTests {
    private static let usual = "text/plain;charset=US-ASCII"

    @Test(arguments: [
        ("data:,A%20brief%20note", usual, "A brief note"), ("data:,", usual, ""),
        ("DATA:,X", usual, "X"), ("data:,a,b", usual, "a,b"), ("data:,a?b", usual, "a?b"),
        ("data: ,X", usual, "X"), ("data:,X X", usual, "X X"), ("data:,%FC%2b", usual, "\u{FC}+"),
        ("data:text/plain;charset=iso-8859-7,a", "text/plain;charset=iso-8859-7", "a"),
        ("data:;charset=utf-8,a", "text/plain;charset=utf-8", "a"),
        ("data:application/json,{}", "application/json", "{}"),
        ("data:text/html ,X", "text/html", "X"),
        ("data:image/svg+xml;charset=utf-8;x=y,<a/>", "image/svg+xml;charset=utf-8;x=y", "<a/>"),
        ("data:;base64,WA", usual, "X"), ("data:;base64,WA==", usual, "X"),
        ("data:;BASE64,WA%3D%3D", usual, "X"), ("data:; base64,WA", usual, "X"),
        ("data:;base64 ,WA", usual, "X"), ("data:;base64,W A", usual, "X"),
        ("data:;base64,Zm9v%0AYmFy", usual, "foobar"), ("data:;base64,", usual, ""),
        ("data:text/plain;base64,Zm9v", "text/plain", "foo"),
        // Only at the end is it the coding, and it has no value.
        ("data:a/b;base64;c=d,WA", "a/b;base64;c=d", "WA"),
        ("data:a/b;base64=,WA", "a/b;base64=", "WA"),
    ])
    func `a data URL holds a media type and bytes`(
        text: String,
        mediaType: String,
        content: String
    ) throws {
        let url = try DataURL(text)
        #expect(url.mediaType == mediaType)
        #expect(url.bytes == content.unicodeScalars.map { UInt8($0.value) })
    }

    @Test(arguments: [
        ("data:", DataURLFault.missingComma), ("data:text/plain", .missingComma),
        ("data:x,y", .badMediaType), ("data:/,y", .badMediaType), ("data:a/b/c,y", .badMediaType),
        ("data:a /b,y", .badMediaType), ("data:text,plain", .badMediaType),
        ("data:;base64,W", .badBase64), ("data:;base64,WA=", .badBase64),
        ("data:;base64,W*==", .badBase64), ("data:;base64,WA==WA==", .badBase64),
        ("data:,%", .badEscape), ("data:,%4", .badEscape), ("data:,50%", .badEscape),
        ("data:text/html,<a style='color:#fff'>", .fragment),
        ("data:,a\nb", .badCharacter(offset: 7)), ("data:a\r\nX: y/b,c", .badCharacter(offset: 6)),
        ("https://a.example/", .otherScheme), ("data", .otherScheme),
    ])
    func `a text that browsers would repair is refused`(text: String, fault: DataURLFault) {
        #expect(throws: fault) { try DataURL(text) }
    }

    @Test func `every byte can be written in both codings`() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        var escaped: [UInt8] = Array("data:,".utf8)
        for byte in bytes { PercentCoding.encode(byte, into: &escaped) }
        #expect(try DataURL(String(decoding: escaped, as: UTF8.self)).bytes == bytes)
        #expect(try DataURL("data:;base64," + Base64.encode(bytes)).bytes == bytes)
    }

    @Test func `the URL of a report is ASCII without spaces and has the same content`() throws {
        let url = try DataURL("data:,a \"b\" \\ \u{FC}\u{1F600}")
        #expect(url.text == "data:,a%20%22b%22%20%5C%20%C3%BC%F0%9F%98%80")
        #expect(try DataURL(url.text).bytes == url.bytes)
        #expect(url.bytes == Array("a \"b\" \\ \u{FC}\u{1F600}".utf8))
    }

    @Test func `arbitrary texts are parsed without a trap`() {
        var generator = SplitMix64.forTests()
        let pieces = ["data:", ";base64", ",", "%", "%4", "=", "/", "text", ";", " ", "#"]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            _ = try? DataURL("data:" + text.joined())
        }
    }

    @Test func `the parser of http URLs refuses local URLs`() {
        for text in ["data:,x", "data://a.example/", "DATA:text/plain,x"] {
            #expect((try? TransferURL(text)) == nil)
        }
    }
}
