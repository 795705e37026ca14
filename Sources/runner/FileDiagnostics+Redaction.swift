import Diagnostics
import Plan
import Report
import TransferModel

extension FileDiagnostics {
    /// Diagnostics as they may be shown, in every format: without confidential text of the file,
    /// without secrets and without logins in URLs, both in what is said and in the lines that are
    /// shown.
    ///
    /// - Parameters:
    ///   - diagnostics: In any order.
    ///   - source: The text that they speak of.
    ///   - confidential: What of the text nobody may read; made only when there is something to
    ///     show.
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
        let quotes = ConfidentialQuotes(confidential)
        let masked = FileDiagnostics(
            source: source,
            diagnostics: diagnostics.map { $0.redacted(by: quotes) },
            confidential: confidential.ranges
        )
        self = masked.redacted(by: Redactor(secrets))
    }

    /// The same, of a data file, without what the job says is confidential in it.
    func redacted(by quotes: ConfidentialQuotes) -> FileDiagnostics {
        FileDiagnostics(source: source, diagnostics: diagnostics.map { $0.redacted(by: quotes) })
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

extension ConfidentialQuotes {
    /// Prepares the search for what a job file holds.
    init(_ confidential: ConfidentialText) {
        self.init(
            confidential.texts,
            names: confidential.names,
            mark: Secret.mark,
            hasBackticks: confidential.hasBackticks
        )
    }
}

extension Diagnostic {
    fileprivate func redacted(by quotes: ConfidentialQuotes) -> Diagnostic {
        redacted(message: quotes.redacted, text: quotes.redactedText)
    }

    fileprivate func redacted(by foreign: ForeignText) -> Diagnostic {
        redacted(message: { foreign.open($0) }, text: { foreign.open($0) })
    }

    private func redacted(
        message redacted: (String) -> String,
        text redactedText: (String) -> String
    ) -> Diagnostic {
        var diagnostic = self
        diagnostic.message = redacted(message)
        diagnostic.help = help.map(redacted)
        for index in notes.indices {
            diagnostic.notes[index].message = redacted(notes[index].message)
        }
        // An edit that would put the mark into the file mends nothing.
        if let replacement = fixIt?.replacement, redactedText(replacement) != replacement {
            diagnostic.fixIt = nil
        }
        return diagnostic
    }
}
