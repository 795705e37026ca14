internal import Diagnostics
internal import JobFile
internal import SystemKit

/// A scalar's text, taken apart at its expressions.
struct Template: Hashable {
    enum Piece: Hashable {
        /// Text as it is meant: `$${` has become `${`.
        case literal(String)
        case expression(Expression)
    }

    private(set) var pieces: [Piece] = []
    /// The first ones: enough to mend them in one go.
    private(set) var faults: [TemplateFault] = []

    private static let mostFaults = 100

    init(_ text: String) {
        let bytes = text.utf8.span
        pieces.reserveCapacity(3)
        var literal = ""
        var start = 0
        var index = 0
        while index < bytes.count, faults.count < Self.mostFaults {
            guard bytes[index] == UInt8(ascii: "$") else {
                index += 1
                continue
            }
            if Self.isOpening(bytes, at: index + 1) {
                // `$${`: the first dollar goes, the rest is text.
                Self.add(text.slice(start..<index), to: &literal)
                start = index + 1
                index += 3
            } else if Self.isOpening(bytes, at: index) {
                Self.add(text.slice(start..<index), to: &literal)
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                index = addExpression(of: text, bytes, at: index)
                start = index
            } else {
                index += 1
            }
        }
        Self.add(text.slice(start..<bytes.count), to: &literal)
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    /// Reads the expression that opens at `start`; returns the offset after it.
    private mutating func addExpression(of text: String, _ bytes: Span<UInt8>, at start: Int) -> Int
    {
        if bytes.count > start + 2, bytes[start + 2] == UInt8(ascii: "{"),
            let doubled = Placeholder.first(in: text, from: start + 1, isKnown: { _ in false }),
            doubled.isBraced, doubled.range.lowerBound == start + 1
        {
            let range = start..<doubled.range.upperBound
            let fault = ValueFault(
                .badExpression,
                "`\(String(text.slice(range)).excerpt)` has one pair of braces too many",
                likely: doubled.likely(isKnown: { _ in false }),
                help: Expression.forms
            )
            faults.append(TemplateFault(fault: fault, range: range))
            return range.upperBound
        }
        var end = start + 2
        while end < bytes.count, bytes[end] != UInt8(ascii: "}") { end += 1 }
        guard end < bytes.count else {
            let fault = ValueFault(
                .badExpression,
                "`${` is not closed by `}`",
                help: "write `$${` for a literal `${`"
            )
            faults.append(TemplateFault(fault: fault, range: start..<bytes.count))
            return bytes.count
        }
        let range = start..<(end + 1)
        if let plain = Expression(plain: bytes, in: text, at: range) {
            pieces.append(.expression(plain))
            return end + 1
        }
        do {
            let expression = try Expression(text.slice(start + 2..<end), at: range)
            pieces.append(.expression(expression))
        } catch {
            faults.append(TemplateFault(fault: error, range: range))
        }
        return end + 1
    }

    private static func add(_ part: Substring, to literal: inout String) {
        // Most are one part, which is cheaper made than appended.
        if literal.isEmpty { literal = String(part) } else { literal += part }
    }

    private static func isOpening(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index] == UInt8(ascii: "$")
            && bytes[index + 1] == UInt8(ascii: "{")
    }
}

/// A fault of one expression, with its range in UTF-8 offsets.
struct TemplateFault: Hashable {
    var fault: ValueFault
    var range: Range<Int>
}

extension Expression {
    /// Reads `${env.NAME}` and `${var.name}`, the most frequent expressions, without the work that
    /// messages need; nil for any other expression.
    fileprivate init?(plain bytes: Span<UInt8>, in text: String, at range: Range<Int>) {
        let first = range.lowerBound + 6
        let end = range.upperBound - 1
        guard first < end, bytes[first - 1] == UInt8(ascii: ".") else { return nil }
        let letters = (bytes[first - 4], bytes[first - 3], bytes[first - 2])
        if letters == (UInt8(ascii: "v"), UInt8(ascii: "a"), UInt8(ascii: "r")) {
            namespace = .var
        } else if letters == (UInt8(ascii: "e"), UInt8(ascii: "n"), UInt8(ascii: "v")) {
            namespace = .env
        } else {
            return nil
        }
        guard !bytes[first].isDigit else { return nil }
        for index in first..<end where !Self.isNameByte(bytes[index], in: namespace) { return nil }
        name = String(text.slice(first..<end))
        rule = .required
        self.range = range
    }
}

extension String {
    /// The part between two offsets in UTF-8, which must lie between characters.
    func slice(_ offsets: Range<Int>) -> Substring {
        let start = utf8.index(utf8.startIndex, offsetBy: offsets.lowerBound)
        return self[start..<utf8.index(start, offsetBy: offsets.count)]
    }
}

/// Parsed texts: the settings of a `forEach` have the same texts for every row.
struct TemplateCache {
    /// A scalar of the job file, taken apart.
    struct Entry {
        var text: String
        var template: Template
    }

    private var entries: [NodeID: Entry] = [:]
    private var templates: [ByteText: Template] = [:]
    /// The longest text that is kept, bytes.
    private static let longestText = 4 << 10
    private static let mostTexts = 64

    /// A scalar of the job file taken apart.
    mutating func entry(of node: NodeID, in document: Document) -> Entry {
        if let entry = entries[node] { return entry }
        let text = document.text(of: node)
        let entry = Entry(text: text, template: Template(text))
        guard text.utf8.count <= Self.longestText else { return entry }
        if entries.count == Self.mostTexts { entries.removeAll() }
        entries[node] = entry
        return entry
    }

    /// The text taken apart.
    mutating func template(of text: String) -> Template {
        guard text.utf8.count <= Self.longestText else { return Template(text) }
        let key = ByteText(text)
        if let template = templates[key] { return template }
        let template = Template(text)
        if templates.count == Self.mostTexts { templates.removeAll() }
        templates[key] = template
        return template
    }
}
