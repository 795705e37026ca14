import Testing
import TransferModel

@testable import Transfer

/// What tells that a body is whole, without a server.
@Suite struct ResponseIntakeTests {
    private static func intake(_ lines: String...) -> ResponseIntake {
        var intake = ResponseIntake()
        for line in lines + [""] {
            if case .ended(let head) = intake.parser.read(Array("\(line)\r\n".utf8).span) {
                intake.head = head
            }
        }
        return intake
    }

    @Test func `a length or chunks vouch for a body, and the end of a connection does not`() {
        let length = Self.intake("HTTP/1.1 200 OK", "Content-Length: 3")
        #expect(length.contentLength == 3)
        #expect(length.voucher(to: "GET") == .length)
        let chunks = Self.intake("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
        #expect(chunks.contentLength == nil)
        #expect(chunks.voucher(to: "GET") == .length)
        let bare = Self.intake("HTTP/1.1 200 OK")
        #expect(bare.voucher(to: "GET") == .none)
        #expect(bare.voucher(to: "HEAD") == .length)
        #expect(ResponseIntake().voucher(to: "GET") == .none)
    }

    @Test func `a stream delimits a body for which it does not vouch`() {
        let bare = Self.intake("HTTP/2 200")
        #expect(bare.isDelimited(to: "GET", over: "h2") == true)
        #expect(bare.isDelimited(to: "GET", over: "http/1.1") == false)
        #expect(bare.voucher(to: "GET") == .none)
    }

    @Test func `only an accepted body without length, digest and checksum lacks proof`() {
        var bare = Self.intake("HTTP/1.1 200 OK")
        #expect(bare.lacksProof(to: "GET", isRest: false) == false)
        bare.verdict = .accept
        #expect(bare.lacksProof(to: "GET", isRest: false) == true)
        #expect(bare.lacksProof(to: "HEAD", isRest: false) == false)
        var framed = Self.intake("HTTP/1.1 200 OK", "Content-Length: 3")
        framed.verdict = .accept
        #expect(framed.lacksProof(to: "GET", isRest: false) == false)
    }

    @Test(arguments: [(0, true), (2, true), (3, false), (4, true)])
    func `an accepted body with another length than announced is truncated`(
        received: Int64,
        isTruncated: Bool
    ) {
        var intake = Self.intake("HTTP/2 200", "Content-Length: 3")
        #expect(intake.miscount(of: "GET", received: received) == nil)
        intake.verdict = .accept
        let failure = intake.miscount(of: "GET", received: received)
        #expect(failure?.kind == (isTruncated ? .truncated : nil))
        #expect(intake.miscount(of: "HEAD", received: received) == nil)
    }

    @Test func `a stored body has the length that is served`() {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Length: 3")
        intake.servedLength = 2
        #expect(intake.contentLength == 2)
        intake.reset()
        #expect(intake.contentLength == nil)
    }

    @Test func `an unknown coding is kept where no file must be what the job says`() throws {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Encoding: rot13")
        let received = intake.head
        let head = try #require(received)
        #expect(intake.beginDecoding(head, mayKeepCoding: true) == nil)
        let findings = intake.beginDecoding(head, mayKeepCoding: false)
        #expect(findings?.failure?.kind == .protocolViolation)
        #expect(findings?.checks.map(\.check) == [.decoding])
    }

    @Test func `a coded body that never began has ended early, unless it may be empty`() throws {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Encoding: gzip")
        let received = intake.head
        let head = try #require(received)
        #expect(intake.beginDecoding(head, mayKeepCoding: false) == nil)
        #expect(intake.judgeBody(of: "GET")?.failure?.detail == "the gzip body ends early")
        #expect(intake.judgeBody(of: "HEAD") == nil)
    }

    // RFC 9112 §7.1
    @Test func `a judged body that is nearly all framing is a failure`() {
        var intake = Self.intake("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
        let unjudged = intake.excessFraming(received: 1 << 20, delivered: 1)
        #expect(unjudged == nil)
        intake.verdict = .accept
        let framed = intake.excessFraming(received: 1 << 20, delivered: 1)
        #expect(framed?.kind == .protocolViolation)
        let usual = intake.excessFraming(received: 1 << 20, delivered: 1 << 19)
        #expect(usual == nil)
        intake.verdict = .challenge(.byLibrary)
        let discarded = intake.excessFraming(received: 1 << 20, delivered: 1)
        #expect(discarded == nil)
    }
}
