internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Reports faults of values in a document, with their setting and their place.
struct FaultReporter {
    /// The mapping whose settings are being read, for messages.
    enum Owner {
        case job
        case defaults
        case secret(NodeID)
        case session(NodeID)
        case task(TaskSpec.Kind, NodeID)
    }

    let document: Document
    var log: DiagnosticLog
    var hints = Hints()
    /// The keys of the top level, below which all others are; nil for hints without them.
    var language: KeyTable?
    var owner = Owner.job
    /// The keys of the open mappings inside the owner's mapping.
    private(set) var path: [String] = []
    /// The places of parts of the scalar that was reported last.
    private var places: ScalarPlaces?

    /// A reporter without faults.
    init(_ document: Document, _ log: DiagnosticLog) {
        self.document = document
        self.log = log
    }

    /// Forgets the diagnostics so far, and allows new comparisons of names.
    mutating func forget() {
        log.forget()
        hints = Hints()
    }

    /// Notes that the mapping of a key is being read.
    mutating func open(_ name: String) { path.append(name) }

    /// Notes that the mapping opened last has ended.
    mutating func close() { path.removeLast() }

    /// The open mapping in words, which messages put after the name of a key.
    var context: String {
        let inner = path.last.map { " in `\($0)`" } ?? ""
        let outer =
            switch owner {
            case .job: ""
            case .defaults: "`defaults`"
            case .secret(let key): "secret `\(document.text(of: key).excerpt)`"
            case .session(let key): "session `\(document.text(of: key).excerpt)`"
            case .task(let kind, let key): "\(kind.rawValue) `\(document.text(of: key).excerpt)`"
            }
        guard !outer.isEmpty else { return inner }
        return inner.isEmpty ? " in \(outer)" : "\(inner) of \(outer)"
    }

    /// Reports an error at a value or key.
    mutating func report(
        _ code: JobCode,
        _ message: String,
        at node: NodeID,
        notes: [Diagnostic.Note] = [],
        help: String? = nil
    ) {
        log.add(
            code,
            message,
            at: document.range(of: node),
            notes: notes,
            help: help
        )
    }

    /// Reports a fault of the text of a field's value, or of a part of it.
    mutating func report(_ fault: ValueFault, of field: Field, at part: SourceRange? = nil) {
        let range = part ?? document.range(of: field.node)
        // A filled-in value is not in the file: an edit here would replace its expression.
        let isFilled = part == nil && document.hasInterpolation(field.node)
        let likely = isFilled ? nil : fault.likely
        let meant = likely.map { likely in
            document.hasText(field.node, equalTo: likely)
                ? "write it without quotes" : "did you mean `\(likely)`?"
        }
        log.add(
            fault.code,
            "`\(field.name)`: \(fault.message)",
            at: range,
            help: meant ?? fault.help,
            generalHelp: fault.help,
            fixIt: likely.map { .init(range: range, replacement: $0) }
        )
    }

    /// Reports a fault at a part of the text of a field's value.
    mutating func report(
        _ fault: ValueFault,
        of field: Field,
        at part: Range<Int>,
        in text: String
    ) {
        report(fault, of: field, at: range(of: part, in: text, field.node))
    }

    /// Reports parts of the text of a scalar at the whole scalar until another one is asked about.
    mutating func usePlace(of node: NodeID) {
        places = ScalarPlaces(ofWhole: node, in: document)
    }

    /// The range of a part of a scalar's text; the whole scalar when it is not written as it reads.
    mutating func range(of part: Range<Int>, in text: String, _ node: NodeID) -> SourceRange {
        var places =
            places.flatMap { $0.node == node ? $0 : nil }
            ?? ScalarPlaces(of: node, text, in: document)
        defer { self.places = places }
        return places.range(of: part, in: text)
    }

    /// The kind of a value, in words with an article.
    func name(of node: NodeID) -> String {
        switch document.kind(of: node) {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .scalar: Self.name(of: document.scalar(of: node), document.text(of: node))
        }
    }

    /// The kind of a scalar, in words with an article.
    static func name(of scalar: Scalar, _ text: String) -> String {
        switch scalar {
        case .null: "null"
        case .bool: "the truth value `\(text.excerpt)`"
        case .integer: "the integer `\(text.excerpt)`"
        case .float: "the number `\(text.excerpt)`"
        case .string: "the string `\(text.excerpt)`"
        case .timestamp: "the timestamp `\(text.excerpt)`"
        case .binary: "binary data"
        }
    }
}

extension Document {
    /// Whether a key begins with `x-`.
    func isFree(_ key: NodeID) -> Bool {
        withBytes(of: key) {
            $0.count > 1 && $0[0] == UInt8(ascii: "x") && $0[1] == UInt8(ascii: "-")
        }
    }
}

/// The positions of parts of a scalar's text in the file.
///
/// Parts that are asked for in their order cost no more than one walk over the text, however many
/// there are.
struct ScalarPlaces: Sendable {
    let node: NodeID
    private let whole: SourceRange
    /// Whether the file has every character literally, so that a part has a place of its
    /// own.
    private let isWritten: Bool
    /// How far characters were counted, an offset in UTF-8, and the column there.
    private var counted: (offset: Int, column: Int)
    /// The column of the first character.
    private let start: Int

    /// The places in the text of a scalar.
    init(of node: NodeID, _ text: String, in document: Document) {
        self.node = node
        whole = document.range(of: node)
        let width = whole.end.column - whole.start.column
        let count = text.unicodeScalars.count
        isWritten = whole.start.line == whole.end.line && (width == count || width == count + 2)
        // Quotes take a column on both sides.
        start = whole.start.column + (width - count) / 2
        counted = (0, start)
    }

    /// The place of a text from elsewhere, such as from a file that a scalar names.
    init(ofWhole node: NodeID, in document: Document) {
        self.node = node
        whole = document.range(of: node)
        isWritten = false
        start = whole.start.column
        counted = (0, start)
    }

    /// The range of a part, given by its offsets in UTF-8; the whole scalar when it is not written
    /// as it reads.
    mutating func range(of part: Range<Int>, in text: String) -> SourceRange {
        guard isWritten else { return whole }
        if part.lowerBound < counted.offset { counted = (0, start) }
        let skipped = text.slice(counted.offset..<part.lowerBound).unicodeScalars.count
        counted = (part.lowerBound, counted.column + skipped)
        let length = text.slice(part).unicodeScalars.count
        let line = whole.start.line
        return SourceRange(
            start: SourcePosition(line: line, column: counted.column),
            end: SourcePosition(line: line, column: counted.column + length)
        )
    }
}
