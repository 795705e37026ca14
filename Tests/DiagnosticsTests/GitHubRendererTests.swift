import Diagnostics
import Testing

@Suite struct GitHubRendererTests {
    private func render(_ diagnostic: Diagnostic, text: String = "", name: String = "a.yaml")
        -> String
    {
        let source = SourceText(name: name, bytes: Array(text.utf8))
        return GitHubRenderer.render(FileDiagnostics(source: source, diagnostics: [diagnostic]))
    }

    private func range(_ start: (Int, Int), _ end: (Int, Int)) -> SourceRange {
        SourceRange(
            start: SourcePosition(line: start.0, column: start.1),
            end: SourcePosition(line: end.0, column: end.1)
        )
    }

    @Test func `no fault is no command`() {
        let source = SourceText(name: "a.yaml", bytes: [])
        #expect(GitHubRenderer.render(FileDiagnostics(source: source, diagnostics: [])).isEmpty)
    }

    @Test func `a fault is one line with the readable text`() {
        let fault = Diagnostic(
            code: "x.y",
            "unknown key `b`",
            at: range((2, 1), (2, 2)),
            help: "did you mean `a`?"
        )
        #expect(
            render(fault, text: "a: 100%\nb: 1\n")
                == "::error file=a.yaml,line=2,endLine=2,col=1,endColumn=1,title=x.y::"
                + "unknown key `b` [x.y]%0A2 | b: 1%0A  | ^%0A  = help: did you mean `a`?\n"
        )
    }

    @Test func `a warning over several lines has no columns`() {
        let fault = Diagnostic(.warning, code: "x.y", "m", at: range((1, 1), (2, 3)))
        #expect(
            render(fault, text: "a:\n  b").hasPrefix(
                "::warning file=a.yaml,line=1,endLine=2,title=x.y::m"
            )
        )
    }

    @Test func `a point is shown at the character after it`() {
        let fault = Diagnostic(code: "x.y", "m", at: range((1, 3), (1, 3)))
        #expect(render(fault, text: "a: b").contains("col=3,endColumn=3,"))
    }

    @Test func `characters that end a property or a line are escaped`() {
        let fault = Diagnostic(code: "x.y", "100% of\r\nit", at: range((1, 1), (1, 2)))
        let text = render(fault, text: "50%", name: "C:\\50%,\r\nb.yaml")
        #expect(text.hasPrefix("::error file=C%3A\\50%25%2C\\r\\nb.yaml,line=1"))
        #expect(text.contains("::100%25 of"))
        #expect(text.contains("%0A1 | 50%25%0A"))
        #expect(text.utf8.filter { $0 == 10 || $0 == 13 } == [10])
    }
}
