internal import Diagnostics

/// libyaml's complaint, put in words for the people who write job files.
struct SyntaxProblem {
    private let problem: EventReader.Problem
    private let source: SourceText
    private let lines: LineIndex

    init(_ problem: EventReader.Problem, in source: SourceText) {
        self.problem = problem
        self.source = source
        lines = LineIndex(source)
    }

    var diagnostic: Diagnostic {
        if let tab = tabIndent { return Self.tabDiagnostic(at: tab) }
        let wording = SyntaxWording(
            problem.message,
            context: problem.context,
            found: scalar(at: problem.mark),
            isAtEnd: isAtEnd
        )
        let mark = range(of: problem.mark)
        let context = problem.context == nil ? nil : range(of: problem.contextMark)
        guard wording.isAboutContext, let context else {
            return diagnostic(wording, at: mark, noteAt: context)
        }
        return diagnostic(wording, at: context, noteAt: nil)
    }

    private func diagnostic(
        _ wording: SyntaxWording,
        at range: SourceRange,
        noteAt context: SourceRange?
    ) -> Diagnostic {
        var notes: [Diagnostic.Note] = []
        if let context, context != range, let note = wording.note {
            notes.append(.init(note, at: context))
        }
        return Diagnostic(
            .syntax,
            wording.message,
            at: range,
            notes: notes,
            help: wording.help
        )
    }

    private static func tabDiagnostic(at tab: SourcePosition) -> Diagnostic {
        let end = SourcePosition(line: tab.line, column: tab.column + 1)
        return Diagnostic(
            .tabIndent,
            "a tab cannot indent YAML",
            at: SourceRange(start: tab, end: end),
            help: "indent with spaces"
        )
    }

    /// The tab that libyaml stumbled over, whatever it calls it.
    ///
    /// Within brackets tabs are as good as spaces.
    private var tabIndent: SourcePosition? {
        let mark = position(of: problem.mark)
        if scalar(at: problem.mark) == "\t", problem.message.contains("cannot start") {
            return mark
        }
        let isInFlow = problem.context?.contains("flow") ?? false
        guard !isInFlow, let line = lines.range(of: mark.line) else { return nil }
        let span = source.bytes.span
        var index = line.lowerBound
        while index < line.upperBound, span[index] == 0x20 { index += 1 }
        guard index < line.upperBound, span[index] == 0x09 else { return nil }
        return SourcePosition(line: mark.line, column: index - line.lowerBound + 1)
    }

    /// Whether nothing but white space stands behind the place.
    private var isAtEnd: Bool {
        guard let offset = offset(of: problem.mark) else { return true }
        return source.bytes[offset...].allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }
    }

    private func scalar(at mark: EventReader.Mark) -> Unicode.Scalar? {
        guard let offset = offset(of: mark), let line = lines.range(of: Int(mark.line)),
            offset < line.upperBound
        else { return nil }
        return source.bytes.span.scalar(at: offset)?.scalar
    }

    private func offset(of mark: EventReader.Mark) -> Int? {
        lines.offset(of: position(of: mark))
    }

    /// A place in the text; libyaml puts its end on a line of its own even where no line break is.
    private func position(of mark: EventReader.Mark) -> SourcePosition {
        Int(mark.line) <= lines.lastLine
            ? mark.point.start : source.position(at: source.bytes.count)
    }

    /// The one scalar at a place, or a point at the end of a line.
    private func range(of mark: EventReader.Mark) -> SourceRange {
        let start = position(of: mark)
        guard scalar(at: mark) != nil else { return SourceRange(start) }
        return SourceRange(
            start: start,
            end: SourcePosition(line: start.line, column: start.column + 1)
        )
    }
}
