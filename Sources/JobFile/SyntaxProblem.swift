internal import Diagnostics
internal import SystemKit

/// A libyaml error, reworded for users.
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
        if let missing = missingSpace { return missing }
        var wording = SyntaxWording(
            problem.message,
            context: problem.context,
            found: scalar(at: problem.mark),
            isAtEnd: isAtEnd
        )
        if let host = wildcardHost { wording.help = Self.help(for: host) }
        let mark = range(of: problem.mark)
        let context = problem.context == nil ? nil : range(of: problem.contextMark)
        guard wording.isAboutContext, let context else {
            return diagnostic(wording, at: mark, noteAt: context)
        }
        return diagnostic(wording, at: context, noteAt: nil)
    }

    /// The diagnostic for `key:value` without a space, which YAML reads as one word and rejects
    /// later.
    ///
    /// libyaml's mark is on the next line, or on the word itself where nothing follows.
    private var missingSpace: Diagnostic? {
        let isLater = problem.message == "mapping values are not allowed in this context"
        guard isLater || problem.message == "could not find expected ':'" else { return nil }
        let line = Int(isLater ? problem.mark.line : problem.contextMark.line)
        for number in [line, line - 1] {
            guard let bytes = lines.range(of: number), let key = wordWithColon(in: bytes) else {
                continue
            }
            let start = source.position(at: key.upperBound)
            let name = String(decoding: source.bytes[key], as: UTF8.self)
            return Diagnostic(
                .syntax,
                "a space is missing after `\(name):`",
                at: SourceRange(
                    start: start,
                    end: SourcePosition(line: start.line, column: start.column + 1)
                ),
                help: "write `\(name): value`"
            )
        }
        return nil
    }

    /// The word in a line that begins with a name, a colon and no space; nil for other lines.
    private func wordWithColon(in line: Range<Int>) -> Range<Int>? {
        let span = source.bytes.span
        var start = line.lowerBound
        while start < line.upperBound, span[start] == 0x20 || span[start] == UInt8(ascii: "-") {
            start += 1
        }
        var end = start
        while end < line.upperBound, span[end].isWordByte { end += 1 }
        // Keys do not begin with digits, unlike the time of day `10:30`.
        guard end > start, !span[start].isDigit, end + 1 < line.upperBound,
            span[end] == UInt8(ascii: ":"),
            !span[end + 1].isBlank,
            !isURL(behind: end, before: line.upperBound)
        else { return nil }
        return start..<end
    }

    /// Whether the colon at an offset ends the scheme of a URL.
    private func isURL(behind colon: Int, before end: Int) -> Bool {
        colon + 2 < end && source.bytes[colon + 1] == UInt8(ascii: "/")
            && source.bytes[colon + 2] == UInt8(ascii: "/")
    }

    /// The domain after a `*` that libyaml takes for an alias, as in `*.example.com`; nil
    /// otherwise.
    private var wildcardHost: String? {
        guard problem.message == "did not find expected alphabetic or numeric character",
            scalar(at: problem.mark) == ".", let start = offset(of: problem.mark), start > 0,
            source.bytes[start - 1] == UInt8(ascii: "*")
        else { return nil }
        let name = source.bytes[start...].prefix { $0.isWordByte || $0 == UInt8(ascii: ".") }
        return name.count > 1 ? String(decoding: name, as: UTF8.self) : nil
    }

    private static func help(for host: String) -> String {
        "write `\(host.excerpt)` for all hosts of a domain; put other values that start with `*` "
            + "in quotes"
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

    /// The tab that caused the error, whatever its message.
    ///
    /// In brackets, tabs count as spaces.
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

    /// Whether only white space follows.
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

    /// A position in the text; libyaml puts the end on a new line even without a line break.
    private func position(of mark: EventReader.Mark) -> SourcePosition {
        Int(mark.line) <= lines.lastLine
            ? mark.point.start : source.position(at: source.bytes.count)
    }

    /// The scalar at a position, or an empty range at the end of a line.
    private func range(of mark: EventReader.Mark) -> SourceRange {
        let start = position(of: mark)
        guard scalar(at: mark) != nil else { return SourceRange(start) }
        return SourceRange(
            start: start,
            end: SourcePosition(line: start.line, column: start.column + 1)
        )
    }
}

extension UInt8 {
    /// Whether the byte is a letter, a digit, `-` or `_`.
    fileprivate var isWordByte: Bool {
        isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
