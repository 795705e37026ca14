import Diagnostics
import Plan
import Report
import TransferModel

extension FileDiagnostics {
    /// Prepares diagnostics for every output format: removes confidential text of the file, secrets
    /// and logins in URLs from messages and quoted lines.
    ///
    /// - Parameters:
    ///   - diagnostics: In any order.
    ///   - source: The text that they speak of.
    ///   - confidential: The confidential text of the file; evaluated only if there are
    ///     diagnostics.
    ///   - secrets: Further secret values.
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
        var nearby = NearbyWords(confidential)
        let masked = FileDiagnostics(
            source: source,
            diagnostics: diagnostics.map { $0.redacted(by: quotes, nearby.words(of: $0)) },
            confidential: confidential.ranges
        )
        self = masked.redacted(by: Redactor(secrets))
    }

    /// The diagnostics of a data file without text that the job marks as confidential.
    func redacted(by quotes: ConfidentialQuotes) -> FileDiagnostics {
        FileDiagnostics(source: source, diagnostics: diagnostics.map { $0.redacted(by: quotes) })
    }

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
            diagnostics: diagnostics.map { $0.redacted(by: foreign) }
        )
    }
}

extension ConfidentialQuotes {
    /// Prepares the search for a job file's confidential text.
    init(_ confidential: ConfidentialText) {
        self.init(
            confidential.texts,
            names: confidential.names,
            mark: Secret.mark,
            hasBackticks: confidential.hasBackticks
        )
    }
}

/// Finds the words that a message must not quote because they are confidential at its place.
private struct NearbyWords {
    /// The lines of a diagnostic or a note.
    private struct Lines: Hashable {
        var first: Int
        var last: Int
    }

    /// More lines than most values have.
    private static let fewLines = 16

    private let confidential: ConfidentialText
    /// The parts of few lines, by each of these, and the longer ones: indices.
    private var byLine: [Int: [Int]] = [:]
    private var long: [Int] = []
    /// The words of each part, by its index.
    private var ofParts: [Int: Set<String>] = [:]
    private var ofLines: [Lines: HiddenWords] = [:]

    init(_ confidential: ConfidentialText) {
        self.confidential = confidential
        for (index, part) in confidential.parts.enumerated() {
            let (first, last) = (part.range.start.line, part.range.end.line)
            if last - first < Self.fewLines {
                for line in first...max(first, last) { byLine[line, default: []].append(index) }
            } else {
                long.append(index)
            }
        }
    }

    /// The words of all confidential parts in the lines of a diagnostic and of its notes.
    mutating func words(of diagnostic: Diagnostic) -> [HiddenWords] {
        let ranges = [diagnostic.range] + diagnostic.notes.compactMap(\.range)
        let lines = Set(ranges.map { Lines(first: $0.start.line, last: $0.end.line) })
        return lines.map { words(in: $0) }.filter { !$0.isEmpty }
    }

    private mutating func words(in lines: Lines) -> HiddenWords {
        if let known = ofLines[lines] { return known }
        var words: Set<String> = []
        let isFew = lines.last - lines.first < Self.fewLines
        let near =
            isFew
            ? Set((lines.first...max(lines.first, lines.last)).flatMap { byLine[$0] ?? [] } + long)
            : Set(confidential.parts.indices)
        for index in near {
            let part = confidential.parts[index]
            guard lines.first <= part.range.end.line, part.range.start.line <= lines.last else {
                continue
            }
            let found = ofParts[index] ?? confidential.words(of: part)
            ofParts[index] = found
            words.formUnion(found)
        }
        let hidden = HiddenWords(words)
        ofLines[lines] = hidden
        return hidden
    }
}

extension Diagnostic {
    fileprivate func redacted(
        by quotes: ConfidentialQuotes,
        _ words: [HiddenWords] = []
    ) -> Diagnostic {
        redacted(
            message: { quotes.redacted($0, words: words) },
            text: { quotes.redactedText($0, words: words) }
        )
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
        // A fix-it that would write the redaction mark into the file is useless.
        if let replacement = fixIt?.replacement, redactedText(replacement) != replacement {
            diagnostic.fixIt = nil
        }
        return diagnostic
    }
}
