import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Cookies

@Suite struct CookieFileTests {
    private let temporary: TemporaryFolder
    private let file: CookieFile

    init() throws {
        temporary = try TemporaryFolder()
        file = CookieFile(folder: temporary.path("state/cookies"), name: "jar.jsonl")
    }

    private var name: String { "state/cookies/jar.jsonl" }

    /// A cookie for the disk that was set at that second.
    private func cookie(_ field: String, at seconds: Int64 = 1000) throws -> Cookie {
        let text = field + (field.contains("Max-Age") ? "" : "; Max-Age=100000")
        return try #require(try CookiesTests.cookie(text, at: time(seconds)))
    }

    @Test func `a missing file has no cookies, and without changes none is made`() throws {
        #expect(try file.read() == [])
        try file.write([], at: time(1000))
        #expect(!temporary.contains("state"))
    }

    @Test func `written cookies are read back, and only their owner may read them`() throws {
        let cookies = try [
            cookie("a=\"b\\ \u{E9}\"; Secure; HttpOnly; SameSite=Strict; Path=/x"),
            cookie("=b; Domain=shop.example", at: 1001),
        ]
        try file.write(cookies, at: time(1001))
        #expect(try file.read() == cookies)
        #expect(try temporary.mode(of: name) == 0o600)
        #expect(try temporary.mode(of: "state/cookies") == 0o700)
        #expect(try temporary.mode(of: name + ".lock") == 0o600)
    }

    @Test func `of two states of a cookie the later one stays in any order of writes`() throws {
        let early = try cookie("a=early")
        let late = try cookie("a=late", at: 2000)
        try file.write([late], at: time(2000))
        try file.write([early, cookie("b=1")], at: time(2000))
        #expect(try file.read().map(\.value).sorted() == ["1", "late"])
    }

    @Test func `a deletion wins over an older value that comes later`() throws {
        var deletion = try cookie("a=; Max-Age=0", at: 2000)
        deletion.expiryTime = time(2000)
        try file.write([cookie("a=1"), cookie("b=1")], at: time(1000))
        try file.write([deletion], at: time(2000))
        try file.write([cookie("a=2", at: 1500)], at: time(2001))
        #expect(CookieStore(try file.read(), at: time(2001)).all.map(\.name) == ["b"])
        try file.write([cookie("a=3", at: 3000)], at: time(3000))
        #expect(CookieStore(try file.read(), at: time(3000)).all.map(\.value) == ["1", "3"])
    }

    @Test func `an expired cookie leaves no value, and later no trace`() throws {
        try file.write([cookie("a=1; Max-Age=10"), cookie("b=2")], at: time(1000))
        try file.write([cookie("c=3", at: 1010)], at: time(1010))
        #expect(try file.read().map(\.value).sorted() == ["", "2", "3"])
        let later: Int64 = 1010 + 31 * 86_400
        try file.write([cookie("d=4", at: later)], at: time(later))
        #expect(try file.read().map(\.name) == ["d"])
    }

    @Test func `a cookie file keeps no more cookies than a session may have`() throws {
        for half in 0..<2 {
            let cookies = try (0..<40).map { try cookie("n\(half)-\($0)=1", at: 1000 + Int64($0)) }
            try file.write(cookies, at: time(2000))
        }
        #expect(try file.read().count == 50)
    }

    @Test func `an incomplete file is not used, and replaced`() throws {
        try file.write([cookie("a=1"), cookie("b=2")], at: time(1000))
        let whole = try temporary.text(name)
        let broken = [
            "", "\n", "{}\n", String(whole.dropLast()), String(whole.dropFirst()),
            whole.replacing("\"b\"", with: "\"c\""), whole + whole, whole.replacing("2", with: ""),
            whole.split(separator: "\n").dropLast().joined(separator: "\n") + "\n",
            "{\"cookies\":1}\n{\"name\":\"a\"}\n{\"count\":1,\"checksum\":\"0\"}\n",
            "# Netscape HTTP Cookie File\n",
        ]
        for text in broken {
            try temporary.write(text, to: name, mode: 0o600)
            #expect(throws: CookieFileFault.self, "\(text)") { _ = try file.read() }
        }
        try file.write([cookie("c=3")], at: time(1000))
        #expect(try file.read().map(\.name) == ["c"])
    }

    @Test func `a file that others may write is not used`() throws {
        try file.write([cookie("a=1")], at: time(1000))
        let text = try temporary.text(name)
        try temporary.write(text, to: "state/cookies/open.jsonl", mode: 0o666)
        let open = CookieFile(folder: temporary.path("state/cookies"), name: "open.jsonl")
        #expect(throws: CookieFileFault.self) { _ = try open.read() }
    }

    @Test func `a folder that cannot be made is a fault in words`() throws {
        try temporary.write("", to: "state")
        let cookies = try [cookie("a=1")]
        let fault = try #require(throws: CookieFileFault.self) {
            try file.write(cookies, at: time(1000))
        }
        #expect(fault.message.contains("state"))
    }

    @Test func `writers at the same time lose nothing`() throws {
        let file = file
        let cookies = try (0..<40).map { try cookie("n\($0)=1", at: 1000 + Int64($0)) }
        let threads = try (0..<4).map { part in
            try JoinableThread(name: "writer \(part)") {
                for number in stride(from: part, to: 40, by: 4) {
                    try? file.write([cookies[number]], at: time(2000))
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(try file.read().map(\.name) == cookies.map(\.name))
    }
}
