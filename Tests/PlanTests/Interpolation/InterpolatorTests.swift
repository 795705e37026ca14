import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct InterpolatorTests {
    /// Fills in the value of `k` in a text; no table and no job are there.
    private static func fill(
        _ written: String,
        _ prepare: (inout Interpolator) -> Void = { _ in }
    ) throws -> (ScalarValue?, FaultReporter) {
        let text = "k: \(written)\n"
        let document = try #require(Document.parse(Array(text.utf8), name: "test.yaml").document)
        let found = try #require(document.value(of: document.root, for: "k"))
        var faults = FaultReporter(document, DiagnosticLog(showsWarnings: true))
        var values = Interpolator(environment: ["HOST": "a.example"])
        prepare(&values)
        let field = Field(name: "k", key: found.key, node: found.value)
        return (values.scalar(field, &faults), faults)
    }

    @Test func `an expression between texts makes one text`() throws {
        let (value, faults) = try Self.fill("https://${env.HOST}/x")
        #expect(value?.text == "https://a.example/x")
        #expect(value?.isFromEnvironment == true)
        #expect(faults.log.isEmpty)
    }

    @Test func `a single expression keeps the type of a row's number`() throws {
        let (value, _) = try Self.fill("${item}") {
            $0.row = .scalar(ScalarValue(text: "7", type: .integer(7), isFilledIn: true))
        }
        #expect(value?.type == .integer(7))
    }

    @Test func `a missing variable of the environment is reported where its expression stands`()
        throws
    {
        let (value, faults) = try Self.fill("a-${env.HOSTT}")
        #expect(value == nil)
        let fault = try #require(faults.log.diagnostics.first)
        #expect(fault.code == JobCode.missingVariable.rawValue)
        #expect(fault.range.start == SourcePosition(line: 1, column: 6))
        #expect(fault.help == "did you mean `${env.HOST}`?")
    }

    @Test func `an item outside of a row is a fault`() throws {
        let (value, faults) = try Self.fill("${item.name}")
        #expect(value == nil)
        #expect(faults.log.diagnostics.map(\.code) == [JobCode.badExpression.rawValue])
    }
}
