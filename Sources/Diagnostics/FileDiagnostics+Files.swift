extension Diagnostic {
    /// The diagnostic in a text where each line has a number that is higher by `lines`.
    package func moved(by lines: Int) -> Diagnostic {
        var diagnostic = self
        diagnostic.range = range.moved(by: lines)
        for index in notes.indices { diagnostic.notes[index].range?.move(by: lines) }
        diagnostic.fixIt?.range.move(by: lines)
        return diagnostic
    }
}

extension SourceRange {
    fileprivate mutating func move(by lines: Int) {
        start.line += lines
        end.line += lines
    }

    fileprivate func moved(by lines: Int) -> SourceRange {
        var range = self
        range.move(by: lines)
        return range
    }
}

extension FileDiagnostics {
    /// The diagnostics by file: those of the job file, and those of each included file that has
    /// some, with lines counted in their own files.
    ///
    /// A note whose place is in another file names that place in its text.
    package var byFile: [FileDiagnostics] {
        guard !source.included.isEmpty else { return [self] }
        let main = SourceText.Included(name: source.name, firstLine: 1, start: 0)
        let starts = [main] + source.included
        let end = SourceText.Included(name: "", firstLine: Int.max, start: source.bytes.count + 1)
        return zip(starts, source.included + [end]).compactMap { file, next in
            let lines = file.firstLine..<next.firstLine
            let own = diagnostics.filter { lines.contains($0.range.start.line) }
            guard file.start == 0 || !own.isEmpty else { return nil }
            let above = file.firstLine - 1
            return FileDiagnostics(
                source: SourceText(
                    name: file.name,
                    bytes: Array(source.bytes[file.start..<next.start - 1])
                ),
                diagnostics: own.map { namingFiles($0, but: lines).moved(by: -above) },
                hidden: hidden.filter { lines.contains($0.start.line) }.map { $0.moved(by: -above) }
            )
        }
    }

    /// The diagnostic without the positions of notes outside of a file's lines.
    private func namingFiles(_ diagnostic: Diagnostic, but lines: Range<Int>) -> Diagnostic {
        var diagnostic = diagnostic
        for index in diagnostic.notes.indices {
            guard let start = diagnostic.notes[index].range?.start, !lines.contains(start.line)
            else { continue }
            let (file, line) = source.place(ofLine: start.line)
            diagnostic.notes[index].message += ": \(file):\(line):\(start.column)"
            diagnostic.notes[index].range = nil
        }
        return diagnostic
    }
}
