import Testing
import TransferModel

@testable import Transfer

@Suite struct ServerFileNameTests {
    @Test(arguments: [
        ("plain.txt", "plain.txt"),
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        (#"C:\Windows\system.ini"#, "system.ini"),
        (#"..\..\x"#, "x"),
        (#"a/b\c"#, "c"),
        (".bashrc", "bashrc"),
        ("...a", "a"),
        ("-rf", "rf"),
        (" .- name", "name"),
        ("name. . .", "name"),
        ("report.pdf \t", "report.pdf"),
        ("a\u{0}b", "a_b"),
        ("a\nb\r\u{7F}\u{85}c", "a_b___c"),
        ("a\u{202E}gpj.exe", "a_gpj.exe"),
        ("\u{2066}x\u{2069}\u{200F}\u{61C}", "_x___"),
        ("a\u{2028}b", "a_b"),
        ("caf\u{FFFD}", "caf_"),
        ("naïve – 日本.txt", "naïve – 日本.txt"),
        ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
        ("a:b*c?.txt", "a:b*c?.txt"),
        ("~", "~"),
    ])
    func `a name is made safe`(name: String, expected: String) {
        #expect(ServerFileName.safe(name) == expected)
    }

    @Test(arguments: ["", ".", "..", "...", "/", "a/", #"a\"#, "a/..", " ", "--", ". -"])
    func `a name without visible text is no name`(name: String) {
        #expect(ServerFileName.safe(name) == nil)
    }

    @Test(arguments: [
        (String(repeating: "n", count: 255), 255, ""),
        (String(repeating: "n", count: 300) + ".tgz", 255, ".tgz"),
        (String(repeating: "é", count: 200) + ".tgz", 254, ".tgz"),
        (String(repeating: "👩‍👩‍👧", count: 20) + ".png", 238, ".png"),
        ("n." + String(repeating: "e", count: 300), 255, "e"),
        ("n" + String(repeating: "\u{301}", count: 200_000) + ".txt", 255, ".txt"),
        (String(repeating: "n", count: 300_000), 255, "n"),
    ])
    func `a long name is cut between characters and keeps its ending`(
        name: String,
        size: Int,
        ending: String
    ) throws {
        let safe = try #require(ServerFileName.safe(name))
        #expect(safe.utf8.count == size)
        #expect(safe.hasSuffix(ending))
        #expect(!safe.contains("\u{FFFD}"))
    }

    @Test(arguments: [
        ("https://a.test/pub/file.tgz", "file.tgz"),
        ("https://a.test/pub/file.tgz?x=/y#/z", "file.tgz"),
        ("https://a.test/na%C3%AFve%20file", "naïve file"),
        ("https://a.test/%2e%2e%2f%2e%2e%2fetc%2fx", "x"),
        ("https://a.test/a%5Cb", "b"),
        ("https://a.test/a%00b%0A", "a_b"),
        ("https://a.test/%E4", "_"),
        ("https://a.test/100%", "100%"),
        ("https://a.test/50%zz", "50%zz"),
        ("https://a.test/", "download"),
        ("https://a.test", "download"),
        ("https://a.test/pub/", "download"),
        ("https://a.test/%2e%2e", "download"),
        ("https://a.test/..", "download"),
    ])
    func `without a field the URL names the file`(url: String, expected: String) throws {
        let head = ResponseHead(statusCode: 200)
        #expect(ServerFileName.choose(head, url: try TransferURL(url)) == expected)
    }

    @Test(arguments: [
        (#"attachment; filename="x.tgz""#, "x.tgz"),
        (#"attachment; filename="../../etc/x""#, "x"),
        (#"attachment; filename="..""#, "from-url"),
        (#"attachment; filename=""; size=1"#, "from-url"),
        ("attachment", "from-url"),
    ])
    func `a field wins when its name is usable`(value: String, expected: String) throws {
        var head = ResponseHead(statusCode: 200)
        head.fields.append(HeaderField(name: "content-disposition", value: value))
        let url = try TransferURL("https://a.test/from-url")
        #expect(ServerFileName.choose(head, url: url) == expected)
    }

    @Test(arguments: [
        ("a-s3cret.txt", "https://a.test/from-url", "from-url"),
        ("s3cret/x", "https://a.test/from-url", "from-url"),
        ("s3cret" + String(repeating: "x", count: 300), "https://a.test/s3cret/url", "url"),
        ("s3cret", "https://a.test/%733cret.txt", "download"),
        ("other", "https://a.test/s3cret", "other"),
    ])
    func `a text that cannot be a name leads to the next choice`(
        name: String,
        url: String,
        expected: String
    ) throws {
        var head = ResponseHead(statusCode: 200)
        let value = "attachment; filename=\"\(name)\""
        head.fields.append(HeaderField(name: "content-disposition", value: value))
        let chosen = ServerFileName.choose(head, url: try TransferURL(url)) {
            !$0.contains("s3cret")
        }
        #expect(chosen == expected)
    }

    @Test(arguments: [
        ("a\u{200B}b.txt", "ab.txt"), ("\u{FEFF}.x", "x"), ("x\u{E0001}\u{E0041}", "x"),
        ("a\u{AD}b\u{200D}c\u{FE0F}", "abc"), ("\u{2060}", nil), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
        ("❤️‍🔥", "❤️‍🔥"), ("a\u{202E}b", "a_b"),
    ])
    func `invisible characters are removed from a name`(name: String, expected: String?) {
        #expect(
            ServerFileName.safe(name)?.unicodeScalars.elementsEqual(
                (expected ?? "").unicodeScalars
            ) == (expected == nil ? nil : true)
        )
    }
}
