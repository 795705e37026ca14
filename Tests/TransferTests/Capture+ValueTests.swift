import JSON
import Testing
import TransferModel

@testable import Transfer

@Suite struct CaptureValueTests {
    private static let head = ResponseHead(
        statusCode: 200,
        fields: HeaderFields([
            HeaderField(name: "X-Id", value: "first"), HeaderField(name: "x-id", value: "second"),
            HeaderField(name: "X-Empty", value: ""), HeaderField(name: "X-Name", value: "Zoë"),
        ])
    )

    private func findings(
        _ source: Capture.Source,
        in body: String = "",
        head: ResponseHead = head
    ) throws -> Findings {
        var expectation = TransferModel.Expectation()
        expectation.captures = [Capture("it", from: source)]
        let bytes = Array(body.utf8)
        return try #require(ContentCheck(expectation, head: head, body: bytes)).judge()
    }

    private func json(_ pointer: String) throws -> Capture.Source {
        .json(try #require(JSONPointer(pointer)))
    }

    @Test(arguments: [
        (#"{"a":"text"}"#, "text", CapturedValue.Kind.string), (#"{"a":""}"#, "", .string),
        (#"{"a":12}"#, "12", .number), (#"{"a":1.50}"#, "1.50", .number),
        (#"{"a":12345678901234567890.123}"#, "12345678901234567890.123", .number),
        (#"{"a":true}"#, "true", .bool), (#"{"a":false}"#, "false", .bool),
    ])
    func `a value of JSON keeps its spelling and its type`(
        body: String,
        text: String,
        kind: CapturedValue.Kind
    ) throws {
        let findings = try findings(json("/a"), in: body)
        #expect(findings.captured == [CapturedValue("it", text, kind)])
        #expect(findings.failure == nil)
        #expect(findings.checks.map(\.check) == [.decoding, .content])
    }

    @Test(arguments: [
        ("{}", "missing"), (#"{"a":null}"#, "null"), (#"{"a":[1]}"#, "a list"),
        (#"{"a":{"b":1}}"#, "an object"), ("[1]", "missing"),
    ])
    func `a list, object or null is not captured`(body: String, actual: String) throws {
        let findings = try findings(json("/a"), in: body)
        #expect(findings.captured.isEmpty)
        #expect(findings.failure?.kind == .content)
        #expect(findings.failure?.isPermanent == true)
        #expect(
            findings.failure?.detail
                == "the capture `it` (`/a` of the body) is \(actual) instead of "
                + "a text, a number, true or false"
        )
        #expect(findings.checks.last?.check == .content)
        #expect(findings.checks.last?.actual == actual)
    }

    @Test(arguments: [("X-ID", "first"), ("x-empty", ""), ("X-Name", "Zoë")])
    func `the first field of a name is captured`(name: String, text: String) throws {
        #expect(try findings(.header(name)).captured == [CapturedValue("it", text)])
    }

    @Test func `a field is read as UTF-8 where it is UTF-8`() throws {
        var fields = HeaderFields()
        fields.append(line: Array("X-Name: Zoë".utf8).span)
        let head = ResponseHead(statusCode: 200, fields: fields)
        #expect(try findings(.header("X-Name"), head: head).captured.first?.text == "Zoë")
    }

    @Test func `a missing field fails`() throws {
        let failure = try findings(.header("X-No")).failure
        #expect(
            failure?.detail == "the capture `it` (the field `X-No`) is missing instead of a value"
        )
    }

    @Test func `the first group of a pattern is captured`() throws {
        let findings = try findings(.regex("id=(.)"), in: "id=7 id=8")
        #expect(findings.captured == [CapturedValue("it", "7")])
        #expect(findings.checks.map(\.check) == [.content])
    }

    @Test(arguments: [
        ("id=(.)", "nothing", "missing"),
        (
            "^(a+)+$", String(repeating: "a", count: 100) + "!",
            "beyond the limits of a search"
        ),
        ("(", "x", "not searched for: missing closing parenthesis"),
    ])
    func `a pattern without a match fails`(pattern: String, body: String, actual: String) throws {
        let findings = try findings(.regex(pattern), in: body)
        #expect(findings.checks.last?.actual == actual)
        #expect(
            findings.failure?.detail
                == "the capture `it` (the match of `\(pattern)`) is \(actual) instead of a value"
        )
    }

    @Test func `a value has a longest length and is not quoted when it is longer`() throws {
        let longest = String(repeating: "x", count: CapturedValue.maximumSize)
        #expect(try findings(.regex("x+"), in: longest).captured.first?.text == longest)
        let failure = try findings(.regex("x+"), in: longest + "x").failure
        #expect(
            failure?.detail
                == "the capture `it` (the match of `x+`) is 65537 bytes long instead of at most 65536 bytes"
        )
    }

    @Test func `a failed expectation is reported before captures are checked`() throws {
        var expectation = TransferModel.Expectation()
        expectation.captures = [Capture("it", from: .header("X-No"))]
        expectation.headers = [HeaderField(name: "X-Id", value: "other")]
        let findings = ContentCheck(expectation, head: Self.head, body: nil)?.judge()
        #expect(findings?.failure?.detail.hasPrefix("X-Id is") == true)
    }

    @Test func `a pattern search does not run on the engine's thread`() {
        var expectation = TransferModel.Expectation()
        expectation.captures = [Capture("it", from: .header("X-Id"))]
        #expect(ContentCheck(expectation, head: Self.head, body: nil)?.isQuick == true)
        expectation.captures.append(Capture("that", from: .regex("x")))
        #expect(ContentCheck(expectation, head: Self.head, body: [1])?.isQuick == false)
    }
}
