import Diagnostics
import Testing

/// Only the quotes of a message are from a file.
@Suite struct DiagnosticQuotesTests {
    private static let place = SourceRange(SourcePosition(line: 1, column: 1))

    private static func shown(_ message: String) -> String {
        Diagnostic(code: "x.y", message, at: place)
            .mappingQuotes({ $0.replacing("secret", with: "…") }, elsewhere: { $0 }).message
    }

    @Test(arguments: [
        ("a secret of `secret` and `data`", "a secret of `…` and `data`"),
        ("`secret``secret`", "`…``…`"), ("no secret", "no secret"),
        // A backtick of the file moves the quotes.
        ("a secret of `a`secret`", "a … of `a`…`"),
    ])
    func `quotes are mapped, and all of a message with an odd backtick`(
        message: String,
        shown: String
    ) {
        #expect(Self.shown(message) == shown)
    }

    @Test
    func
        `advice of which a part is hidden, and an edit that would lose a word, are dropped`()
    {
        let diagnostic = Diagnostic(
            code: "x.y",
            "m",
            at: Self.place,
            notes: [.init("see `secret`")],
            help: "did you mean `secret`?",
            fixIt: .init(range: Self.place, replacement: "secret")
        )
        let shown = diagnostic.mappingQuotes({ $0 }, elsewhere: { _ in Diagnostic.dots })
        #expect(shown.help == nil && shown.fixIt == nil)
        #expect(shown.notes.map(\.message) == ["see `•••`"])
        let partly = diagnostic.mappingQuotes({ $0 }, elsewhere: { _ in "se•••" })
        #expect(partly.help == nil && partly.fixIt == nil)
        #expect(diagnostic.mappingQuotes({ $0 }, elsewhere: { $0 }) == diagnostic)
    }

    @Test func `general advice takes the place of advice of which a part is hidden`() {
        var diagnostic = Diagnostic(
            code: "x.y",
            "m",
            at: Self.place,
            help: "did you mean `secret`?"
        )
        diagnostic.generalHelp = "write `NAME`"
        let hiding = { (quote: String) in quote == "secret" ? Diagnostic.dots : quote }
        let hidden = diagnostic.mappingQuotes({ $0 }, elsewhere: hiding)
        #expect(hidden.help == "write `NAME`")
        let shown = diagnostic.mappingQuotes({ $0 }, elsewhere: { $0 })
        #expect(shown.help == "did you mean `secret`?")
        #expect(shown.generalHelp == nil)
    }

    @Test func `a quote has no backticks of its own`() {
        #expect("a`b".excerpt == "a'b")
    }
}
