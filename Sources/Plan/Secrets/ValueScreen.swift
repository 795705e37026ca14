internal import Diagnostics
internal import JobFile

/// Decides what is shown of the lines of a job file that diagnostics quote: signs of YAML, names in
/// the place of keys, expressions, and the values of keys whose values are never secret.
///
/// All other text is hidden: header fields, bodies, variables, arguments of commands, values of
/// keys that the language does not know, and comments. A slip may have moved a secret there.
struct ValueScreen {
    /// A part of a line to hide.
    struct Hidden {
        let range: SourceRange
        /// What messages about the line must not quote.
        let text: String
        /// Whether it is a key, which messages would quote as a name.
        var isKey = false
    }

    /// A scalar in one of the lines.
    fileprivate struct Value {
        let range: SourceRange
        /// How much of its text is shown, bytes from its beginning.
        var shown: Int
        let text: String
        let isKey: Bool
    }

    private let document: Document
    private let lines: Set<Int>
    private var source: SourceLines
    private var values: [SourcePosition: Value] = [:]
    /// The column of the last `@` in each line; 0 without one.
    private let lastSigns: [Int: Int]

    /// The parts to hide of some lines of a document.
    ///
    /// - Parameters:
    ///   - lines: The numbers of the lines that are shown.
    ///   - document: A job file.
    /// - Returns: The parts, ascending; each lies in one line.
    static func hidden(in lines: Set<Int>, of document: Document) -> [Hidden] {
        var screen = ValueScreen(lines, document)
        screen.visit(document.root, ValuePlace(shape: .mapping(JobTable.table.keys), key: ""))
        return screen.hidden()
    }

    private init(_ lines: Set<Int>, _ document: Document) {
        self.lines = lines
        self.document = document
        let source = SourceLines(document.source)
        self.source = source
        let sign = UInt8(ascii: "@")
        lastSigns = Dictionary(
            uniqueKeysWithValues: lines.map { number in
                let line = source.line(number)
                // Behind a slash it begins the scope of a package's name.
                let last = line.indices.last {
                    line[$0] == sign
                        && ($0 == line.startIndex || line[$0 - 1] != UInt8(ascii: "/"))
                }
                return (number, last.map { ConfidentialText.scalars(in: line[...$0]) } ?? 0)
            }
        )
    }

    // MARK: - Values

    private mutating func visit(_ node: NodeID, _ place: ValuePlace) {
        let shape = place.shape
        switch document.kind(of: node) {
        case .scalar:
            note(node) { place.shownLength(of: $0, mayBeLogin: $1) }
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

    /// Notes a key, which is shown if it looks like a name.
    ///
    /// Without a colon it must be one of the language.
    private mutating func noteKey(
        _ entry: (key: NodeID, value: NodeID),
        _ name: String,
        _ shape: Shape
    ) {
        guard lines.contains(document.range(of: entry.key).start.line) else { return }
        let isShown =
            shape.knows(name)
            || PublicValues.isName(name)
                && (!source.isTornOff(entry, in: document) || PublicValues.isNearKey(name))
        note(entry.key, isKey: true) { text, mayBeLogin in
            PublicValues.length(ofJoined: name, in: shape, mayBeLogin: mayBeLogin)
                ?? (isShown ? text.count : 0)
        }
    }

    /// Notes a scalar if it begins in one of the lines, or passes through one.
    ///
    /// `length` has its text, and whether an `@` follows in its line.
    private mutating func note(
        _ node: NodeID,
        isKey: Bool = false,
        length: (ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int
    ) {
        let range = document.range(of: node)
        guard range.start < range.end,
            (range.start.line...range.end.line).contains(where: lines.contains)
        else { return }
        let text = document.text(of: node)
        // A text over several lines is no plain value.
        guard range.start.line == range.end.line else {
            values[range.start] = Value(range: range, shown: 0, text: text, isKey: isKey)
            return
        }
        let mayBeLogin = lastSigns[range.start.line, default: 0] >= range.start.column
        let shown = length(Array(text.utf8)[...], mayBeLogin)
        // What an alias shows of a value is shown where the value stands.
        values[range.start] = Value(
            range: range,
            shown: max(shown, values[range.start]?.shown ?? 0),
            text: text,
            isKey: isKey
        )
    }

    // MARK: - Lines

    private mutating func hidden() -> [Hidden] {
        var hidden: [Hidden] = []
        let anchors = AnchorNames(document.source)
        var ascending = values.values.sorted { $0.range.start < $1.range.start }[...]
        var open: Value?
        for number in lines.sorted() {
            while let value = ascending.first, value.range.start.line < number {
                if value.range.end.line >= number { open = value }
                ascending.removeFirst()
            }
            var line = ScreenedLine(number, source.line(number), anchors)
            if let value = open, value.range.end.line >= number {
                line.hide(value.text, to: value.range.end)
            }
            while let value = ascending.first, value.range.start.line == number {
                line.take(value)
                if value.range.end.line > number { open = value }
                ascending.removeFirst()
            }
            line.finish()
            hidden += line.hidden
        }
        return hidden
    }
}

/// A line of which some parts are hidden, from left to right.
private struct ScreenedLine {
    private(set) var hidden: [ValueScreen.Hidden] = []
    private let number: Int
    private let bytes: ArraySlice<UInt8>
    private let anchors: AnchorNames
    private var index: Int
    private var column = 1

    init(_ number: Int, _ bytes: ArraySlice<UInt8>, _ anchors: AnchorNames) {
        self.number = number
        self.bytes = bytes
        self.anchors = anchors
        index = bytes.startIndex
    }

    /// Hides the line's beginning, where a text of lines above ends.
    mutating func hide(_ text: String, to end: SourcePosition) {
        let behind = end.line == number ? self.index(of: end.column) : bytes.endIndex
        hide(to: behind, text)
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
        var rest = String(decoding: text.dropFirst(shown), as: UTF8.self)
        while index < end {
            var next = index
            while next < end, PublicValues.expression(in: bytes[next..<end]) == nil { next += 1 }
            if next > index {
                hide(to: next, rest, isKey: value.isKey && shown == 0)
                rest = ""
            }
            let expression = PublicValues.expression(in: bytes[next..<end])
            advance(to: expression?.endIndex ?? end)
        }
    }

    /// Hides what is no sign behind the last value.
    mutating func finish() { hideGap(to: bytes.endIndex) }

    /// Hides what YAML reads no value from: comments, tags, and anchors that nothing names.
    private mutating func hideGap(to end: Int) {
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "#") {
                advance(to: index + 1)
                hide(to: end, String(decoding: bytes[index..<end], as: UTF8.self))
            } else if let name = anchors.name(at: bytes[index..<end]) {
                advance(to: name)
            } else if Self.isSign(byte) {
                advance(to: index + 1)
            } else {
                var next = index
                while next < end, !Self.isBlank(bytes[next]), bytes[next] != UInt8(ascii: ",") {
                    next += 1
                }
                hide(to: max(next, index + 1), String(decoding: bytes[index..<next], as: UTF8.self))
            }
        }
    }

    /// Hides up to an index, but not the blanks and quotation marks around the text.
    private mutating func hide(to end: Int, _ text: String, isKey: Bool = false) {
        var last = end
        while last > index, Self.isBlank(bytes[last - 1]) || Self.isQuote(bytes[last - 1]) {
            last -= 1
        }
        var first = index
        while first < last, Self.isBlank(bytes[first]) || Self.isQuote(bytes[first]) { first += 1 }
        advance(to: first)
        let start = SourcePosition(line: number, column: column)
        advance(to: last)
        if first < last {
            let range = SourceRange(
                start: start,
                end: SourcePosition(line: number, column: column)
            )
            hidden.append(.init(range: range, text: text, isKey: isKey))
        }
        advance(to: end)
    }

    private mutating func advance(to end: Int) {
        column += ConfidentialText.scalars(in: bytes[index..<max(end, index)])
        index = max(end, index)
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

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == 34 || byte == 39 }

    private static func isSign(_ byte: UInt8) -> Bool {
        isBlank(byte) || isQuote(byte) || ",:{}[]?-|>+.<".utf8.contains(byte)
    }
}

/// The names in a file that stand behind both `&` and `*`.
private struct AnchorNames {
    private let names: Set<[UInt8]>

    /// Goes through the text once.
    init(_ source: SourceText) {
        var anchors: Set<[UInt8]> = []
        var aliases: Set<[UInt8]> = []
        let bytes = source.bytes
        for index in bytes.indices.dropFirst(source.base) {
            let isAnchor = bytes[index] == UInt8(ascii: "&")
            guard isAnchor || bytes[index] == UInt8(ascii: "*") else { continue }
            let name = Array(Self.name(bytes[(index + 1)...]))
            if isAnchor { anchors.insert(name) } else { aliases.insert(name) }
        }
        names = anchors.intersection(aliases)
    }

    /// The index behind an anchor or an alias at the beginning of a text; nil for none.
    func name(at text: ArraySlice<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "&") || text.first == UInt8(ascii: "*") else { return nil }
        let name = Self.name(text.dropFirst())
        return names.contains(Array(name)) ? name.endIndex : nil
    }

    private static func name(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix(SecretName.longest).prefix(while: PublicValues.isPlain)
    }
}
