import Diagnostics
import JobFile
import TestSupport
import Testing

@Suite struct FixtureTests {
    @Test(arguments: Fixture.all())
    func `a broken file has the diagnostics that its fixture lists`(fixture: Fixture) throws {
        let source = SourceText(name: fixture.name + ".yaml", bytes: fixture.input)
        let result = Document.parse(source.bytes, name: source.name)
        let report = FileDiagnostics(source: source, diagnostics: result.diagnostics)
        let text = TextRenderer(report).render()
        #expect(!text.isEmpty)
        if Fixture.isUpdating { fixture.update(text) }
        #expect(try text == #require(fixture.expected))
    }

    @Test func `every code of the reader has a fixture or a test of its limit`() {
        let tested: Set = ["yaml.too-large"]
        let shown = Fixture.all().flatMap { Document.parse($0.input, name: $0.name).diagnostics }
        #expect(tested.union(shown.map(\.code)) == Set(YAMLFault.allCases.map(\.rawValue)))
    }
}
