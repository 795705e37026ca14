import SystemKit
import TransferModel
import Testing

@testable import Transfer

@Suite struct FTPRepliesTests {
    private static func replies(_ lines: [String]) -> FTPReplies {
        var replies = FTPReplies()
        for line in lines {
            if line.hasPrefix("> ") {
                replies.didSend(String(line.dropFirst(2) + "\r\n").utf8.span)
            } else {
                replies.didReceive((line + "\r\n").utf8.span)
            }
        }
        return replies
    }

    @Test func `the last line of a reply has its code and its text`() {
        let replies = Self.replies(["220-Welcome", "220-here", "220 Ready.", "530 No\tlogin."])
        #expect(replies.last == .init(code: 530, text: "No login."))
        #expect(Self.replies(["220-Welcome"]).last == nil)
        #expect(Self.replies(["226"]).last == .init(code: 226, text: ""))
    }

    private static let sizes: [([String], Int64?)] = [
        (["> SIZE a", "213 12"], 12), (["> MDTM a", "213 20260102030405"], nil),
        (["> SIZE a", "550 no", "> RETR a", "213 9"], nil), (["> SIZE a", "213 1x"], nil),
        (["> SIZE a", "213 9999999999999999999"], nil), (["> SIZE a", "213 -1"], nil),
        (["> SIZE a", "213 "], nil), (["> size a", "213 4"], nil),
        (["> SIZE a", "213-3", "213 4"], 4), (["> SIZE a", "213 4  "], 4),
    ]

    @Test(arguments: sizes)
    func `only the reply to SIZE names the size`(lines: [String], size: Int64?) {
        #expect(Self.replies(lines).size == size)
    }

    @Test(arguments: ["-5", "1x", "9999999999999999999", "", "of a: 5"])
    func `a reply to SIZE without a size is noted`(text: String) {
        #expect(Self.replies(["> SIZE a", "213 \(text)"]).hasBadSize)
        #expect(!Self.replies(["> MDTM a", "213 \(text)"]).hasBadSize)
        #expect(!Self.replies(["> SIZE a", "550 \(text)"]).hasBadSize)
    }

    @Test func `lines that are no replies change nothing`() {
        let replies = Self.replies(["220 ok", "", "2", "99 x", "600 x", "abc", "2a0 x", " 230 x"])
        #expect(replies.last == .init(code: 220, text: "ok"))
    }

    @Test func `a long text of a reply is cut`() throws {
        let reply = Self.replies(["550 " + String(repeating: "x", count: 5000)]).last
        #expect(try #require(reply).text.count <= 201)
    }
}

@Suite struct FileFactsTests {
    @Test func `the facts about a file become the head of a response`() {
        let file = FileFacts(size: 10, modified: 784_111_777)
        let whole = file.head(from: 0)
        #expect(whole.statusCode == 200)
        #expect(whole.fields["content-length"] == "10")
        #expect(whole.fields["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        let rest = file.head(from: 4)
        #expect(rest.statusCode == 206)
        #expect(rest.fields["content-length"] == "6")
        #expect(rest.fields["content-range"] == "bytes 4-9/10")
    }

    @Test func `unknown facts are left out`() {
        #expect(FileFacts().head(from: 0).fields.isEmpty)
        #expect(FileFacts().head(from: 4).fields.isEmpty)
        #expect(FileFacts(size: 3).head(from: 4).fields.isEmpty)
        #expect(FileFacts(modified: -1).head(from: 0).fields.isEmpty)
        #expect(FileFacts(modified: .max).head(from: 0).fields.isEmpty)
    }

    @Test func `the time of a file is a validator once it is a minute old`() {
        let head = FileFacts(size: 1, modified: 784_111_777).head(from: 0)
        func validator(_ age: Int64) -> ResumeValidator? {
            ResumeValidator(
                ofFile: head,
                now: Timestamp(microseconds: (784_111_777 + age) * 1_000_000)
            )
        }
        #expect(validator(60) == .sizeAndModification("Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(validator(59) == nil)
        #expect(validator(-10) == nil)
        #expect(validator(60)?.matches(head) == true)
        let other = FileFacts(size: 1, modified: 784_111_778).head(from: 0)
        #expect(validator(60)?.matches(other) == false)
        #expect(validator(60)?.matches(FileFacts(size: 1).head(from: 0)) == false)
    }

    @Test(arguments: [
        "ftp://a.test/%0Ax", "ftp://a.test/x%0d", "ftp://a.test/%00", "ftp://a.test/%7f",
        "ftp://a.test/../x", "ftp://a.test/a/%2E%2e", "ftp://a.test/a%2f..%2fb", "ftp://a.test",
        "ftp://a.test/", "ftp://a.test/a/", "ftp://a.test/a/.", "ftp://a.test/a?b",
        "ftp://a.test/a#b",
        "ftp://a.test/a;TYPE=i", "ftps://a.test/a%2", "sftp://a.test/%g0", "ftp:a",
        "http://a.test/x",
        "ftp:///x", "ftp://a.test:0/x", "ftp://a.test/a b", "ftpx://a.test/x",
    ])
    func `a URL that is not of one file at a file server is refused`(text: String) {
        #expect(throws: TransferURL.FileServerFault.self) { try TransferURL(fileServer: text) }
    }

    @Test(arguments: [
        ("FTP://A.test/x", "ftp://a.test", 21),
        ("ftps://a.test:991/%2Fx", "ftps://a.test:991", 991),
        ("sftp://[::1]/~/x;type=a", "sftp://[::1]", 22), ("sftp://a.test/ä", "sftp://a.test", 22),
    ])
    func `a URL of a file server has its own origin`(
        text: String,
        origin: String,
        port: Int
    ) throws {
        let url = try TransferURL(fileServer: text)
        #expect(url.origin.text == origin)
        #expect(url.origin.port == port)
        #expect(throws: URLFault.self) { try TransferURL(text) }
    }
}
