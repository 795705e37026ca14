import Diagnostics
import Plan
import Report
import TransferModel

extension FileDiagnostics {
    /// The diagnostics without the secrets of `redactor` and without logins in URLs.
    func redacted(by redactor: Redactor?) -> FileDiagnostics {
        guard !diagnostics.isEmpty else { return self }
        let foreign = ForeignText(redactor: redactor)
        return FileDiagnostics(
            source: SourceText(
                name: foreign.open(source.name),
                bytes: foreign.masked(source.bytes),
                firstLine: source.firstLine
            ),
            diagnostics: diagnostics.map { $0.redacted(by: foreign) },
            hidden: hidden
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
        // A fix-it that would write the redaction mark into the file is useless.
        if let replacement = fixIt?.replacement, foreign.open(replacement) != replacement {
            diagnostic.fixIt = nil
        }
        return diagnostic
    }
}
