import JSON
import Testing
import TransferModel

@testable import Transfer

@Suite struct ContentCheckTests {
    private static let body = Array(#"{"status":"ok","n":1.0,"items":[{"id":7}],"none":null}"#.utf8)

    private func findings(
        _ body: [UInt8],
        fields: [HeaderField] = [],
        _ expect: (inout TransferModel.Expectation) throws -> Void
    ) throws -> Findings? {
        var expectation = TransferModel.Expectation()
        try expect(&expectation)
        let head = ResponseHead(statusCode: 200, fields: HeaderFields(fields))
        let kept = expectation.json == nil ? nil : body
        return ContentCheck(expectation, head: head, body: kept)?.judge()
    }

    private func at(
        _ pointer: String,
        _ value: String? = nil
    ) throws -> TransferModel.Expectation.JSONValueAt {
        .init(try #require(JSONPointer(pointer)), value: try value.map { try JSONValue($0) })
    }

    @Test(arguments: [
        ("/status", #""ok""#), ("/n", "1"), ("/items/0", #"{"id":7}"#), ("/none", "null"),
        ("/items", #"[{"id":7.00}]"#),
    ])
    func `an expected value passes`(pointer: String, value: String) throws {
        let findings = try findings(Self.body) {
            $0.json = [try at(pointer, value), try at(pointer)]
        }
        #expect(findings?.failure == nil)
        #expect(findings?.checks.map(\.check) == [.decoding, .content])
    }

    @Test(arguments: [("Zo\u{EB}", true), ("Zoe\u{308}", false), ("Zo", false)])
    func `a field's value is compared as UTF-8`(value: String, isEqual: Bool) throws {
        let findings = try findings([], fields: [.init(name: "X-Name", value: "Zo\u{EB}")]) {
            $0.headers = [.init(name: "x-name", value: value)]
        }
        #expect((findings?.failure == nil) == isEqual)
        if !isEqual {
            let actual = try #require(findings?.checks.last?.actual)
            #expect(actual.utf8.elementsEqual("Zo\u{EB}".utf8))
        }
    }

    @Test(
        arguments: [
            ("/status", #""failed""#, #""ok""#), ("/n", #""1""#, "1.0"), ("/nope", "1", "missing"),
            ("/none", "0", "null"), ("/items", "[]", #"[{"id":7}]"#), ("/nope", nil, "missing"),
        ] as [(String, String?, String)]
    )
    func `an unexpected value is reported with the value`(
        pointer: String,
        value: String?,
        actual: String
    ) throws {
        let findings = try findings(Self.body) { $0.json = [try at(pointer, value)] }
        #expect(findings?.failure?.kind == .content)
        #expect(findings?.failure?.isPermanent == true)
        let check = try #require(findings?.checks.last)
        #expect(check.check == .content)
        #expect(check.expected == "`\(pointer)` of the body: \(value ?? "a value")")
        #expect(check.actual == actual)
    }

    @Test func `a body only has to be JSON when no value is expected`() throws {
        #expect(try findings(Self.body) { $0.json = [] }?.checks.map(\.check) == [.decoding])
        let mark = [UInt8]([0xEF, 0xBB, 0xBF])
        #expect(try findings(mark + Self.body) { $0.json = [] }?.failure == nil)
        let broken = try findings(Array("{\u{1B}".utf8)) { $0.json = [] }
        #expect(broken?.failure?.urlError?.code == -1017)
        #expect(broken?.checks.map(\.check) == [.decoding])
    }

    @Test func `a long or hostile value is cut and made harmless`() throws {
        let text = String(repeating: "\u{1B}[2Jx", count: 5000)
        var writer = JSONWriter()
        writer.value(.array([.string(text)]))
        let findings = try findings(writer.bytes) { $0.json = [try at("/0", "1")] }
        let actual = try #require(findings?.checks.last?.actual)
        #expect(actual.unicodeScalars.count <= 201)
        #expect(!actual.contains("\u{1B}"))
    }

    private static let fields = [
        HeaderField(name: "ETag", value: #""1""#), HeaderField(name: "Vary", value: "Accept"),
        HeaderField(name: "vary", value: "Origin"),
    ]

    @Test(arguments: [
        ("etag", #""1""#), ("ETag", "*"), ("Vary", "Origin"), ("Vary", "Accept, Origin"),
    ])
    func `a field has its value in one of its lines or in all together`(
        name: String,
        value: String
    ) throws {
        let findings = try findings([], fields: Self.fields) {
            $0.headers = [HeaderField(name: name, value: value)]
        }
        #expect(findings?.failure == nil)
        #expect(findings?.checks.map(\.check) == [.content])
    }

    @Test(arguments: [
        ("ETag", "1", #""1""#), ("Vary", "accept", "Accept, Origin"), ("Server", "*", "missing"),
    ])
    func `an unexpected field is reported with its value`(
        name: String,
        value: String,
        actual: String
    ) throws {
        let findings = try findings([], fields: Self.fields) {
            $0.headers = [HeaderField(name: name, value: value)]
        }
        #expect(findings?.failure?.kind == .content)
        #expect(findings?.checks.last?.expected == "\(name): \(value)")
        #expect(findings?.checks.last?.actual == actual)
    }

    @Test func `without expectations nothing is checked`() throws {
        #expect(try findings(Self.body) { $0.maximumSize = 1 } == nil)
    }
}
