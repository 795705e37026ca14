import SystemKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct BodyCheckTests {
    private func bodyCheck(
        status: Int = 200,
        method: String = "GET",
        _ expect: (inout TransferModel.Expectation) -> Void
    ) -> BodyCheck? {
        var expectation = TransferModel.Expectation()
        expect(&expectation)
        return BodyCheck(
            expectation,
            head: ResponseHead(statusCode: status),
            method: method
        )
    }

    @Test func `a body without expectations has no checks`() {
        #expect(bodyCheck { $0.headers = [HeaderField(name: "a", value: "b")] } == nil)
        #expect(bodyCheck(method: "HEAD") { $0.maximumSize = 1 } == nil)
        for status in [204, 205, 304] {
            #expect(bodyCheck(status: status) { $0.json = [] } == nil)
        }
    }

    @Test func `only bodies with later checks are kept in memory`() throws {
        var text = try #require(bodyCheck { $0.textEncoding = .utf8 })
        var json = try #require(bodyCheck { $0.json = [] })
        let bytes = Array("{}".utf8)
        #expect(text.take(bytes.span) == nil)
        #expect(json.take(bytes.span) == nil)
        #expect(text.kept == nil)
        #expect(json.kept == bytes)
        #expect(text.end().checks.map(\.check) == [.data, .decoding])
        #expect(json.end().checks.map(\.check) == [.data])
    }

    @Test(arguments: [(100, nil), (Int64.max, BodyCheck.keptLimit)] as [(Int64, Int64?)])
    func `the smaller limit applies`(maximum: Int64, limit: Int64?) throws {
        var check = try #require(
            bodyCheck {
                $0.maximumSize = maximum
                $0.json = []
            }
        )
        let limit = limit ?? maximum
        #expect(check.announce(limit) == nil)
        #expect(check.announce(nil) == nil)
        let findings = check.announce(limit + 1)
        #expect(findings?.failure?.kind == .tooLarge)
        #expect(findings?.checks.last?.expected == "at most \(limit) bytes")
    }

    @Test func `the size is counted over all pieces`() throws {
        var check = try #require(bodyCheck { $0.maximumSize = 5 })
        let piece: [UInt8] = [1, 2]
        #expect(check.take(piece.span) == nil)
        #expect(check.take(piece.span) == nil)
        #expect(check.take(piece.span)?.checks.map(\.passed) == [false])
    }

    @Test(
        arguments: [
            (.regex(".*"), false), (.regex("^$"), false), (.header("A"), nil),
        ] as [(Capture.Source, Bool?)]
    )
    func `an empty body has nothing to match`(source: Capture.Source, passed: Bool?) {
        var check = bodyCheck { $0.captures = [Capture("it", from: source)] }
        let findings = check?.end()
        #expect(findings?.checks.map(\.passed).first == passed)
        #expect(findings?.failure?.kind == (passed == false ? .content : nil))
    }
}
