import Diagnostics
import Plan
import Report
import TransferModel

extension FileDiagnostics {
    /// Diagnostics as they may be shown, in every format: without confidential text of the file, without secrets and
    /// without logins in URLs, both in what is said and in the lines that are shown.
    ///
    /// - Parameters:
    ///   - diagnostics: In any order.
    ///   - source: The text that they speak of.
    ///   - confidential: What of the text nobody may read; made only when there is something to show.
    ///   - secrets: More values that nobody may see.
    init(
        showing diagnostics: [Diagnostic],
        of source: SourceText,
        without confidential: @autoclosure () -> ConfidentialText,
        and secrets: [Secret]
    ) {
        guard !diagnostics.isEmpty else {
            self.init(source: source, diagnostics: diagnostics)
            return
        }
        let confidential = confidential()
        let texts = confidential.texts.map { Secret($0) }
        let masked = FileDiagnostics(
            source: source,
            diagnostics: diagnostics,
            confidential: confidential.ranges
        )
        self = masked.redacted(by: Redactor(SecretResolver.longEnough(texts) + secrets))
    }

    /// The same without what `redactor` finds and without logins in URLs.
    func redacted(by redactor: Redactor?) -> FileDiagnostics {
        guard !diagnostics.isEmpty else { return self }
        let foreign = ForeignText(redactor: redactor)
        return FileDiagnostics(
            source: SourceText(
                name: foreign.open(source.name),
                bytes: foreign.masked(source.bytes),
                firstLine: source.firstLine
            ),
            diagnostics: diagnostics.map { $0.redacted(by: foreign) }
        )
    }
}

extension Diagnostic {
    fileprivate func redacted(by foreign: ForeignText) -> Diagnostic {
        var diagnostic = self
        diagnostic.message = foreign.open(message)
        diagnostic.help = help.map { foreign.open($0) }
        for index in notes.indices {
            diagnostic.notes[index].message = foreign.open(notes[index].message)
        }
        if let replacement = fixIt?.replacement {
            let text = foreign.open(replacement)
            // An edit that would put the mark into the file mends nothing.
            if text != replacement { diagnostic.fixIt = nil }
        }
        return diagnostic
    }
}
