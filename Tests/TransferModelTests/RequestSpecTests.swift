import Testing
import TransferModel

@Suite struct RequestSpecTests {
    // RFC 9110 §9.2.2
    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("POST", false),
        ("PATCH", false), ("get", false),
    ])
    func `methods are idempotent as the standard says`(method: String, isIdempotent: Bool) throws {
        let request = RequestSpec(method: method, url: try TransferURL("http://a/"))
        #expect(request.isIdempotent == isIdempotent)
    }

    @Test func `an idempotency key is found in any case`() throws {
        var request = RequestSpec(method: "POST", url: try TransferURL("http://a/"))
        #expect(!request.hasIdempotencyKey)
        request.headers = [HeaderField(name: "idempotency-KEY", value: "\"x\"")]
        #expect(request.hasIdempotencyKey)
    }

    @Test(arguments: ["", " ", "\t ", "\"\"", "\" \"", "\u{A0}", "\"\u{2003}\""])
    func `a blank idempotency key is no key`(value: String) throws {
        let field = HeaderField(name: "Idempotency-Key", value: value)
        let request = RequestSpec(
            method: "POST",
            url: try TransferURL("http://a/"),
            headers: [field]
        )
        #expect(!request.hasIdempotencyKey)
        #expect(request.headers.idempotencyKey == nil)
    }
}
