import Testing
import TransferModel

@testable import Transfer

/// Decisions about content codings, without a server.
@Suite struct BodyDecodingTests {
    private static func head(_ codings: String...) -> ResponseHead {
        ResponseHead(
            statusCode: 200,
            fields: HeaderFields(codings.map { HeaderField(name: "Content-Encoding", value: $0) })
        )
    }

    @Test(arguments: [[], ["identity"], ["Identity, identity"], [""]])
    func `a body without a coding is not decoded`(codings: [String]) throws {
        let fields = codings.map { HeaderField(name: "Content-Encoding", value: $0) }
        let head = ResponseHead(statusCode: 200, fields: HeaderFields(fields))
        #expect(try BodyDecoding.make(head) == nil)
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip", "identity, gzip"])
    func `a coding is known by its name in any letters`(coding: String) throws {
        let decoding = try #require(try BodyDecoding.make(Self.head(coding)))
        #expect(decoding.name.lowercased().hasSuffix("gzip"))
    }

    @Test func `several codings are refused, in one field or in two`() {
        let fault = DecodingFault(detail: "the body has more than one coding")
        #expect(throws: fault) { try BodyDecoding.make(Self.head("gzip, br")) }
        #expect(throws: fault) { try BodyDecoding.make(Self.head("gzip", "gzip")) }
    }

    @Test func `an unknown coding is refused by its name, without its controls`() {
        #expect(throws: DecodingFault(detail: "the coding squeeze is not known")) {
            try BodyDecoding.make(Self.head("squeeze"))
        }
    }

    @Test func `a body that ends within its coding fails, unless nothing of it was to come`() throws
    {
        let decoding = try #require(try BodyDecoding.make(Self.head("gzip")))
        #expect(decoding.findingsAtEnd(mayBeEmpty: true) == nil)
        let early = try #require(decoding.findingsAtEnd(mayBeEmpty: false))
        #expect(early.failure?.detail == "the gzip body ends early")
        #expect(early.failure?.urlError == .cannotDecodeRawData)
        decoding.codedBytes = 1
        #expect(decoding.findingsAtEnd(mayBeEmpty: true)?.failure != nil)
        #expect(decoding.corruption.failure?.detail == "the gzip body is corrupt")
    }
}
