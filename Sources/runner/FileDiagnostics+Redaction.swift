import Diagnostics
import Report

extension FileDiagnostics {
    /// The same without what `redactor` finds, in what is said and in the lines that are shown.
    func redacted(by redactor: Redactor?) -> FileDiagnostics {
        // Most files have nothing to be told of, and need no look at each byte.
        guard let redactor, !diagnostics.isEmpty else { return self }
        return FileDiagnostics(
            source: SourceText(
                name: redactor.redacted(source.name),
                bytes: redactor.masked(source.bytes),
                firstLine: source.firstLine
            ),
            diagnostics: diagnostics.map { $0.redacted(by: redactor) }
        )
    }
}

extension Diagnostic {
    fileprivate func redacted(by redactor: Redactor) -> Diagnostic {
        var diagnostic = self
        diagnostic.message = redactor.redacted(message)
        diagnostic.help = help.map { redactor.redacted($0) }
        for index in notes.indices {
            diagnostic.notes[index].message = redactor.redacted(notes[index].message)
        }
        if let replacement = fixIt?.replacement {
            let text = redactor.redacted(replacement)
            // An edit that would put the mark into the file mends nothing.
            if text != replacement { diagnostic.fixIt = nil }
        }
        return diagnostic
    }
}
