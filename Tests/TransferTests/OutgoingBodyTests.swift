import Testing
import TransferModel

@testable import Transfer

@Suite struct OutgoingBodyTests {
    private static func body(_ source: BodySource?) throws -> OutgoingBody {
        let url = try TransferURL("http://a.test/x")
        let request = RequestSpec(method: "PUT", url: url)
        return OutgoingBody(
            of: AttemptRequest(key: 1, session: 0, number: 1, request: request, body: source)
        )
    }

    @Test func `a body in memory has its length before it is opened`() throws {
        let source = BodySource.bytes([1, 2, 3])
        var body = try Self.body(source)
        #expect(body.isCarried)
        #expect(body.size(of: source) == 3)
        #expect(!body.isStream)
        try body.openMemory(source)
        #expect(body.reader?.size == 3)
    }

    @Test func `a hop or a leg that leaves the body carries none`() throws {
        var body = try Self.body(.bytes([1, 2, 3]))
        body.carry(false)
        #expect(!body.isCarried)
        let part: Range<Int64>? = 0..<2
        body.carry(part)
        #expect(body.isCarried)
        let none: Range<Int64>? = nil
        body.carry(none)
        #expect(!body.isCarried)
        try body.openMemory(.bytes([1, 2, 3]))
        #expect(body.reader == nil)
    }

    @Test func `a request without a body carries none`() throws {
        let body = try Self.body(nil)
        #expect(!body.isCarried)
        #expect(body.size(of: nil) == nil)
    }
}
