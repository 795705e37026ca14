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
        let value1 = length.contentLength
        #expect(value1 == 3)
        let value2 = length.voucher(to: "GET")
        #expect(value2 == .length)
        let chunks = Self.intake("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
        let value3 = chunks.contentLength
        #expect(value3 == nil)
        let value4 = chunks.voucher(to: "GET")
        #expect(value4 == .length)
        let bare = Self.intake("HTTP/1.1 200 OK")
        let value5 = bare.voucher(to: "GET")
        #expect(value5 == .none)
        let value6 = bare.voucher(to: "HEAD")
        #expect(value6 == .length)
        let value7 = ResponseIntake().voucher(to: "GET")
        #expect(value7 == .none)
    }

    @Test func `a stream delimits a body for which it does not vouch`() {
        let bare = Self.intake("HTTP/2 200")
        let value8 = bare.isDelimited(to: "GET", over: "h2")
        #expect(value8)
        let value9 = bare.isDelimited(to: "GET", over: "http/1.1")
        #expect(!value9)
        let value10 = bare.voucher(to: "GET")
        #expect(value10 == .none)
    }

    @Test func `only an accepted body without length, digest and checksum lacks proof`() {
        var bare = Self.intake("HTTP/1.1 200 OK")
        let value11 = bare.lacksProof(to: "GET", isRest: false)
        #expect(!value11)
        bare.verdict = .accept
        let value12 = bare.lacksProof(to: "GET", isRest: false)
        #expect(value12)
        let value13 = bare.lacksProof(to: "HEAD", isRest: false)
        #expect(!value13)
        var framed = Self.intake("HTTP/1.1 200 OK", "Content-Length: 3")
        framed.verdict = .accept
        let value14 = framed.lacksProof(to: "GET", isRest: false)
        #expect(!value14)
    }

    @Test func `a stored body has the length that is served`() {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Length: 3")
        intake.servedLength = 2
        let value15 = intake.contentLength
        #expect(value15 == 2)
        intake.reset()
        let value16 = intake.contentLength
        #expect(value16 == nil)
    }

    @Test func `an unknown coding is kept where no file must be what the job says`() throws {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Encoding: rot13")
        let received = intake.head
        let head = try #require(received)
        let value17 = intake.beginDecoding(head, mayKeepCoding: true)
        #expect(value17 == nil)
        let findings = intake.beginDecoding(head, mayKeepCoding: false)
        #expect(findings?.failure?.kind == .protocolViolation)
        #expect(findings?.checks.map(\.check) == [.decoding])
    }

    @Test func `a coded body that never began has ended early, unless it may be empty`() throws {
        var intake = Self.intake("HTTP/1.1 200 OK", "Content-Encoding: gzip")
        let received = intake.head
        let head = try #require(received)
        let value18 = intake.beginDecoding(head, mayKeepCoding: false)
        #expect(value18 == nil)
        let value19 = intake.judgeBody(of: "GET")?.failure?.detail
        #expect(value19 == "the gzip body ends early")
        let value20 = intake.judgeBody(of: "HEAD")
        #expect(value20 == nil)
    }
}
