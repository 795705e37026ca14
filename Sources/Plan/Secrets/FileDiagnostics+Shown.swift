package import Diagnostics
package import JobFile

extension FileDiagnostics {
    /// The diagnostics of a job file as every format shows them.
    package init(showing diagnostics: [Diagnostic], of document: Document) {
        let source = document.source
        guard !diagnostics.isEmpty else {
            self.init(source: source, diagnostics: [])
            return
        }
        self.init(diagnostics, of: source, ValueScreen.text(of: diagnostics, about: document))
    }

    /// The diagnostics of a file that cannot be read as YAML, as every format shows them.
    package init(showing diagnostics: [Diagnostic], ofUnreadable source: SourceText) {
        let index = LineIndex(source)
        var text = ShownText()
        for number in ShownText.lines(of: diagnostics) {
            guard let range = index.range(of: number) else { continue }
            let next = index.range(of: number + 1).map { source.bytes[$0] } ?? []
            let line = source.bytes[range]
            text.add(number, line, hiding: LineScreen.hidden(in: line, before: next))
        }
        self.init(diagnostics, of: source, text)
    }

    /// A fault of a row of a data file: of a row only signs are shown.
    init(showing diagnostic: Diagnostic, ofRow source: SourceText, names: Set<String> = []) {
        let index = LineIndex(source)
        var text = ShownText(names: names)
        var number = source.firstLine
        while let range = index.range(of: number) {
            let line = source.bytes[range]
            let isHidden = { (byte: UInt8) in !" \t,;:|{}[]\"'".utf8.contains(byte) }
            var parts: [Range<Int>] = []
            var rest = line.drop { !isHidden($0) }
            while !rest.isEmpty {
                let part = rest.prefix(while: isHidden)
                parts.append(part.startIndex..<part.endIndex)
                rest = rest[part.endIndex...].drop { !isHidden($0) }
            }
            text.add(number, line, hiding: parts)
            number += 1
        }
        var diagnostic = diagnostic
        diagnostic.isAboutData = true
        self.init([diagnostic], of: source, text)
    }

    private init(_ diagnostics: [Diagnostic], of source: SourceText, _ text: ShownText) {
        self.init(
            source: source,
            diagnostics: diagnostics.map { text.quoting($0) },
            hidden: text.hidden
        )
    }
}
