internal import Diagnostics
internal import JobFile
internal import SystemKit

/// Finds the shown parts of the lines of a job file that diagnostics are about: signs of YAML, keys
/// and names, expressions, the values in the list of `PublicValues`, and the very value that a
/// diagnostic is about unless its key can hold a credential.
///
/// All other text is hidden, because a slip may have moved a secret to any place.
struct ValueScreen {
    /// A scalar in one of the lines.
    fileprivate struct Value {
        let range: SourceRange
        /// How much of its text is shown, bytes from its beginning.
        var shown: Int
        let text: String
    }

    private let document: Document
    private let index: LineIndex
    private let lines: Set<Int>
    /// The ranges that diagnostics are about, by line.
    private let spans: [Int: [SourceRange]]
    private let names: Set<String>
    private var values: [SourcePosition: Value] = [:]
    /// The column of the last `@` in each line; 0 without one.
    private var lastSigns: [Int: Int] = [:]
    private var text: ShownText

    /// The shown text of a document in diagnostics about it.
    static func text(of diagnostics: [Diagnostic], about document: Document) -> ShownText {
        var screen = ValueScreen(diagnostics, document)
        // A file of one text is no job: it may be a key or a password.
        let isJob = document.kind(of: document.root) != .scalar
        screen.visit(
            document.root,
            ValuePlace(shape: .mapping(JobTable.table.keys), key: "", isKnown: isJob)
        )
        screen.addLines()
        return screen.text
    }

    private init(_ diagnostics: [Diagnostic], _ document: Document) {
        self.document = document
        index = LineIndex(document.source)
        lines = ShownText.lines(of: diagnostics)
        let ranges = Set(diagnostics.flatMap { [$0.range] + $0.notes.compactMap(\.range) })
        spans = Dictionary(grouping: ranges, by: \.start.line)
        names = DeclaredNames.all(of: document)
        text = ShownText(names: names)
        for number in lines {
            let line = line(number)
            // After a slash it begins the scope of a package's name.
            let last = line.indices.last {
                line[$0] == UInt8(ascii: "@")
                    && ($0 == line.startIndex || line[$0 - 1] != UInt8(ascii: "/"))
            }
            // In bytes, of which there are as many as scalars or more.
            lastSigns[number] = last.map { $0 - line.startIndex + 1 } ?? 0
        }
    }

    private func line(_ number: Int) -> ArraySlice<UInt8> {
        index.range(of: number).map { document.source.bytes[$0] } ?? []
    }

    // MARK: - Values

    private mutating func visit(_ node: NodeID, _ place: ValuePlace) {
        let shape = place.shape
        switch document.kind(of: node) {
        case .scalar:
            note(node) { screen, text, isSpan, mayBeLogin in
                PublicValues.length(
                    of: text,
                    at: place,
                    names: screen.names,
                    isSpan: isSpan,
                    mayBeLogin: mayBeLogin
                )
            }
        case .sequence:
            let isSlip = !shape.isList && !shape.isMapping && !shape.isAnything
            let element = isSlip ? place : place.element
            for child in document.elements(of: node) { visit(child, element) }
        case .mapping:
            // A mapping in the place of a list is probably the list's only element.
            let shape = (shape.isList && !shape.isMapping ? shape.element : shape)
                .narrowed(to: node, in: document)
            for entry in document.entries(of: node) {
                let name = document.text(of: entry.key)
                noteKey(entry, name, shape)
                visit(entry.value, ValuePlace(of: name, in: shape))
            }
            for entry in document.omittedEntries(of: node) {
                visit(entry.key, .unknown)
                visit(entry.value, .unknown)
            }
        }
    }

    /// Notes a key: of the language, or a name that the job may choose there; or another key that
    /// looks like a name, if a diagnostic is about it.
    private mutating func noteKey(
        _ entry: (key: NodeID, value: NodeID),
        _ name: String,
        _ shape: Shape
    ) {
        let range = document.range(of: entry.key)
        guard lines.contains(range.start.line) else { return }
        if document.hasInterpolation(entry.value) { text.filled.append(range) }
        note(entry.key) { screen, text, isSpan, _ in
            if shape.knows(name) { return text.count }
            if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
                // The space after the colon is missing.
                let isKey = shape.knows(String(decoding: text[..<colon], as: UTF8.self))
                return isKey ? colon - text.startIndex + 1 : 0
            }
            guard shape.takesName(name), shape.hasChosenNames || shape.isMapping || isSpan
            else { return 0 }
            // Without a colon it may be the end of a value after its comma.
            return screen.hasColon(behind: range.end) || shape.nearestKey(to: name) != nil
                ? text.count : 0
        }
    }

    /// Whether a colon follows a position, perhaps after blanks.
    private func hasColon(behind position: SourcePosition) -> Bool {
        guard let start = index.offset(of: position) else { return false }
        return document.source.bytes[start...].first { !$0.isBlank } == UInt8(ascii: ":")
    }

    /// Notes a scalar if it begins in one of the lines, or passes through one.
    ///
    /// `length` has its text, whether a diagnostic is about it, and whether an `@` follows in its
    /// line.
    private mutating func note(
        _ node: NodeID,
        length: (ValueScreen, ArraySlice<UInt8>, _ isSpan: Bool, _ mayBeLogin: Bool) -> Int
    ) {
        let range = document.range(of: node)
        guard range.start < range.end,
            (range.start.line...range.end.line).contains(where: lines.contains)
        else { return }
        if document.hasInterpolation(node) { self.text.filled.append(range) }
        let text = document.text(of: node)
        // A text over several lines is no plain value.
        guard range.start.line == range.end.line else {
            values[range.start] = Value(range: range, shown: 0, text: text)
            return
        }
        let mayBeLogin = lastSigns[range.start.line, default: 0] >= range.start.column
        let isSpan = spans[range.start.line, default: []].contains { span in
            // Any value may begin at an empty one.
            let isBehindStart = span.start < span.end || range.start < span.start
            return range.start <= span.start && span.end <= range.end && isBehindStart
        }
        let bytes = Array(text.utf8)[...]
        let shown = length(self, bytes, isSpan && PublicValues.hasNoFallback(bytes), mayBeLogin)
        // A value shows at its own place as much as an alias shows of it.
        values[range.start] = Value(
            range: range,
            shown: max(shown, values[range.start]?.shown ?? 0),
            text: text
        )
    }

    // MARK: - Lines

    private mutating func addLines() {
        var ascending = values.values.sorted { $0.range.start < $1.range.start }[...]
        var open: Value?
        for number in lines.sorted() {
            while let value = ascending.first, value.range.start.line < number {
                if value.range.end.line >= number { open = value }
                ascending.removeFirst()
            }
            guard let range = index.range(of: number) else { continue }
            var line = ScreenedLine(number, document.source.bytes[range])
            if let value = open, value.range.end.line >= number { line.hide(value) }
            while let value = ascending.first, value.range.start.line == number {
                line.take(value)
                if value.range.end.line > number { open = value }
                ascending.removeFirst()
            }
            line.finish()
            text.add(number, line.bytes, hiding: line.hidden, texts: line.texts)
        }
    }
}

/// A line of which some parts are hidden, from left to right.
private struct ScreenedLine {
    let bytes: ArraySlice<UInt8>
    private(set) var hidden: [Range<Int>] = []
    /// The values of the hidden parts, as YAML reads them.
    private(set) var texts: [String] = []
    private let number: Int
    private var index: Int
    private var column = 1

    init(_ number: Int, _ bytes: ArraySlice<UInt8>) {
        self.number = number
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Hides the line's beginning, where a value of lines above ends.
    mutating func hide(_ value: ValueScreen.Value) {
        texts.append(value.text)
        let end = value.range.end
        hide(to: end.line == number ? self.index(of: end.column) : bytes.endIndex)
    }

    /// Shows the beginning of a value and the expressions in its rest, and hides the others.
    mutating func take(_ value: ValueScreen.Value) {
        let range = value.range
        guard range.start.column >= column else { return }
        hideGap(to: index(of: range.start.column))
        let end = range.end.line == number ? index(of: range.end.column) : bytes.endIndex
        let quotes = bytes[index..<end].prefix(1).filter { $0 == 34 || $0 == 39 }.count
        let text = value.text.utf8
        let isVerbatim =
            bytes[index..<end].dropFirst(quotes).starts(with: text.prefix(value.shown))
        let shown = isVerbatim ? value.shown : 0
        if shown > 0 { advance(to: min(index + quotes + shown, end)) }
        guard shown < text.count else { return advance(to: end) }
        texts.append(String(decoding: text.dropFirst(shown), as: UTF8.self))
        while index < end {
            var next = index
            while next < end, Self.expression(in: bytes[next..<end]) == nil { next += 1 }
            hide(to: next)
            advance(to: Self.expression(in: bytes[next..<end])?.endIndex ?? end)
        }
    }

    /// Hides any text but signs after the last value.
    mutating func finish() { hideGap(to: bytes.endIndex) }

    /// Hides text from which YAML reads no value: comments, tags and anchors.
    private mutating func hideGap(to end: Int) {
        while index < end {
            if bytes[index] == UInt8(ascii: "#") {
                advance(to: index + 1)
                hide(to: end)
            } else if Self.isSign(bytes[index]) {
                advance(to: index + 1)
            } else {
                let rest = bytes[index..<end].dropFirst()
                hide(
                    to: rest.firstIndex { LineScreen.isBlank($0) || $0 == UInt8(ascii: ",") } ?? end
                )
            }
        }
    }

    /// Hides up to an index, but not the blanks and quotation marks around the text.
    private mutating func hide(to end: Int) {
        var last = max(end, index)
        while last > index,
            LineScreen.isBlank(bytes[last - 1]) || LineScreen.isQuote(bytes[last - 1])
        {
            last -= 1
        }
        var first = index
        while first < last, LineScreen.isBlank(bytes[first]) || LineScreen.isQuote(bytes[first]) {
            first += 1
        }
        if first < last { hidden.append(first..<last) }
        advance(to: end)
    }

    private mutating func advance(to end: Int) {
        guard end > index else { return }
        column += bytes[index..<end].count { $0 & 0xC0 != 0x80 }
        index = end
    }

    /// The index of a column that is not left of the present one.
    private func index(of wanted: Int) -> Int {
        var (index, column) = (index, column)
        while index < bytes.endIndex, column < wanted {
            index += 1
            while index < bytes.endIndex, bytes[index] & 0xC0 == 0x80 { index += 1 }
            column += 1
        }
        return index
    }

    /// The expression at the beginning of a text, without its fallback.
    private static func expression(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.first == UInt8(ascii: "$") || text.first == UInt8(ascii: "{") else { return nil }
        return PublicValues.expression(in: text) ?? PublicValues.expressionHead(in: text)
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        LineScreen.isBlank(byte) || LineScreen.isQuote(byte) || ",:{}[]?-|>+.<".utf8.contains(byte)
    }
}
