internal import Diagnostics
internal import SystemKit

/// Builds the tree from libyaml's events and stops at the first violation of a limit.
///
/// Limits are checked on events, before anything is built: libyaml has none, and its time is
/// quadratic in the depth.
struct TreeBuilder {
    /// The reason why reading ended.
    enum End {
        /// The whole document is in the tree.
        case whole
        /// The rest must not be read; a diagnostic says why.
        case refused
        /// libyaml found an error.
        case broken(EventReader.Problem)
    }

    /// A collection that is still open.
    struct Open {
        var index: Int
        /// `size.values` before it.
        var countBefore: Int
        /// `size.textBytes` before it.
        var bytesBefore: Int
        /// Deepest nesting found inside so far, aliases followed.
        var deepest: Int
        var anchor: String?
    }

    var tree: Tree
    var diagnostics: [Diagnostic] = []
    var open: [Open] = []
    var anchors: [String: Anchor] = [:]
    /// The size so far.
    private(set) var size: DocumentSize
    var cursor: SourceCursor
    private var keys = KeyCheck()
    let source: SourceText

    init(_ source: SourceText, cursor: SourceCursor, behind size: DocumentSize) {
        self.source = source
        self.size = size
        self.cursor = cursor
        tree = Tree(source: source.bytes)
        tree.nodes.reserveCapacity(min(source.bytes.count / 4 + 16, DocumentLimits.nodes))
    }

    /// Reads a text in one pass, and returns whether the document is complete.
    static func read(
        _ source: SourceText,
        cursor: SourceCursor,
        behind size: DocumentSize
    ) -> (builder: TreeBuilder, isWhole: Bool) {
        var builder = TreeBuilder(source, cursor: cursor, behind: size)
        var end = EventReader.read(source.bytes, from: cursor.base) { builder.build(from: $0) }
        if case .broken(let problem) = end, problem.isAboutEscape,
            let pairs = SurrogatePairs(in: source, from: cursor.base)
        {
            builder = TreeBuilder(source, cursor: cursor, behind: size)
            end = EventReader.read(pairs.text, lacking: pairs.lacking) { builder.build(from: $0) }
        }
        switch end {
        case .whole:
            return (builder, true)
        case .broken(let problem):
            builder.diagnostics.append(SyntaxProblem(problem, in: source).diagnostic)
        case .refused:
            break
        }
        return (builder, false)
    }

    /// Reads all events and returns why the reading ended.
    private mutating func build(from reader: borrowing EventReader) -> End {
        while let kind = reader.next() {
            switch kind {
            case .streamEnd:
                return finish() ? .whole : .refused
            case .documentStart:
                guard tree.nodes.isEmpty else { return refuseDocument(at: reader.start) }
            case .streamStart, .documentEnd:
                break
            case .sequenceEnd, .mappingEnd:
                close(at: reader.end)
            case .scalar, .sequenceStart, .mappingStart, .alias:
                guard add(kind, from: reader) else { return .refused }
            }
            if diagnostics.count >= DocumentLimits.diagnostics {
                return giveUp(at: reader.start)
            }
        }
        return .broken(reader.problem)
    }

    private mutating func finish() -> Bool {
        guard let root = tree.nodes.first, !(root.flags.contains(.isPlain) && root.length == 0)
        else {
            report(
                .empty,
                "the job file is empty",
                at: SourceRange(SourcePosition(line: 1, column: 1))
            )
            return false
        }
        return true
    }

    private mutating func refuseDocument(at mark: EventReader.Mark) -> End {
        report(
            .multipleDocuments,
            "a job file is one YAML document, but a second one starts here",
            at: mark.point,
            help: "put the second document into a file of its own"
        )
        return .refused
    }

    private mutating func giveUp(at mark: EventReader.Mark) -> End {
        report(
            .tooManyFaults,
            "the rest of the file was not read, because \(diagnostics.count) faults are listed",
            at: mark.point
        )
        return .refused
    }

    /// Adds the value that an event starts; false beyond a limit.
    private mutating func add(
        _ kind: EventReader.Kind,
        from reader: borrowing EventReader
    ) -> Bool {
        let start = reader.start
        size.values += 1
        guard size.values <= DocumentLimits.nodes else { return refuseSize(at: start) }
        let index = tree.nodes.count
        let parent = open.last?.index ?? index
        let isKey = parent < index && tree.isMappingAwaitingKey(at: parent)
        if parent < index { tree.nodes[parent].length += 1 }
        var node = Node(line: start.line, column: start.column, kind: .scalar)
        switch kind {
        case .alias:
            guard addAlias(&node, from: reader) else { return false }
        case .scalar:
            addScalar(&node, from: reader)
        default:
            guard addCollection(&node, kind, from: reader) else { return false }
        }
        if isKey { checkKey(index, of: parent) }
        return true
    }

    private mutating func addScalar(_ node: inout Node, from reader: borrowing EventReader) {
        let tag = reader.tag(of: .scalar)
        let anchor = reader.anchor(of: .scalar)
        let end = reader.end
        var start = reader.start
        var tagRange: SourceRange?
        let length = reader.valueLength
        if length > 0 || end.index > start.index {
            var offset = cursor.offset(of: start.index, in: source.bytes)
            if tag != nil || anchor != nil {
                let scan = PropertyScan(source.bytes, at: offset, mark: start, end: end)
                (offset, start, tagRange) = (scan.offset, scan.mark, scan.tag)
            }
            place(&node, length: length, at: offset, from: reader)
        }
        if isBehindText(start) {
            let previous = tree.range(of: tree.nodes.count - 1).end
            node.line = UInt32(truncatingIfNeeded: previous.line)
            node.column = UInt32(truncatingIfNeeded: previous.column)
        } else {
            (node.line, node.column) = (start.line, start.column)
            node.reach = tree.extent(from: start, to: end)
        }
        if reader.isPlainScalar { node.flags.insert(.isPlain) }
        let index = tree.nodes.count
        tree.nodes.append(node)
        size.textBytes += length
        if let anchor {
            set(anchor, to: Anchor(index: index, size: 1, height: 0, bytes: length))
        }
        if let tag { applyTag(tag, to: index, at: tagRange ?? tree.point(index)) }
    }

    /// Whether a missing value is on the line that libyaml adds after a text without a final line
    /// break.
    private mutating func isBehindText(_ mark: EventReader.Mark) -> Bool {
        guard mark.column == 1, mark.index > 0, !tree.nodes.isEmpty else { return false }
        let count = source.bytes.count
        guard cursor.offset(of: mark.index, in: source.bytes) >= count else { return false }
        let span = source.bytes.span
        return !(1...3).contains { $0 <= count && span.lineBreak(at: count - $0) == $0 }
    }

    /// Records where a scalar's bytes are: in the source if they are unchanged there, otherwise in
    /// the arena.
    private mutating func place(
        _ node: inout Node,
        length: Int,
        at offset: Int,
        from reader: borrowing EventReader
    ) {
        guard length > 0 else { return }
        node.length = UInt32(truncatingIfNeeded: length)
        // A quoted value follows its quote; an indented block almost never equals its source.
        let first = reader.isPlainScalar ? offset : offset + 1
        if !reader.isBlockScalar, reader.valueStands(at: first - cursor.base) {
            node.content = UInt32(truncatingIfNeeded: first)
        } else {
            node.content = UInt32(truncatingIfNeeded: tree.arena.count)
            node.flags.insert(.isInArena)
            reader.appendValue(to: &tree.arena)
        }
        if reader.valueHasInterpolation { node.flags.insert(.hasInterpolation) }
    }

    /// Opens a sequence or mapping; false beyond the nesting limit.
    private mutating func addCollection(
        _ node: inout Node,
        _ kind: EventReader.Kind,
        from reader: borrowing EventReader
    ) -> Bool {
        guard open.count < DocumentLimits.nesting else { return refuseNesting(at: reader.start) }
        node.kind = kind == .sequenceStart ? .sequence : .mapping
        let isFlow = reader.isFlow(kind)
        if isFlow { node.flags.insert(.isFlow) }
        let tag = reader.tag(of: kind)
        let anchor = reader.anchor(of: kind)
        if tag != nil || anchor != nil {
            // The event starts at the properties and ends after the bracket, or before the first
            // child.
            let end = reader.end
            (node.line, node.column) = (end.line, end.column - (isFlow ? 1 : 0))
        }
        let index = tree.nodes.count
        tree.nodes.append(node)
        if let anchor { set(anchor, to: Anchor(index: index, size: 0, height: 0, bytes: 0)) }
        open.append(
            Open(
                index: index,
                countBefore: size.values - 1,
                bytesBefore: size.textBytes,
                deepest: open.count + 1,
                anchor: anchor
            )
        )
        if let tag { applyTag(tag, to: index, at: reader.start.point) }
        return true
    }

    /// Closes the innermost collection.
    private mutating func close(at end: EventReader.Mark) {
        guard let closed = open.popLast() else { return }
        let index = closed.index
        tree.nodes[index].reach = UInt32(truncatingIfNeeded: tree.nodes.count)
        if tree.nodes[index].flags.contains(.isFlow) {
            let node = tree.nodes[index]
            let start = EventReader.Mark(index: 0, line: node.line, column: node.column)
            tree.nodes[index].content = tree.extent(from: start, to: end)
        }
        if let parent = open.indices.last {
            open[parent].deepest = max(open[parent].deepest, closed.deepest)
        }
        if let name = closed.anchor, let anchor = anchors[name], Int(anchor.index) == index {
            anchors[name] = Anchor(
                index: index,
                size: size.values - closed.countBefore,
                height: closed.deepest - open.count,
                bytes: size.textBytes - closed.bytesBefore
            )
        }
        if tree.nodes[index].kind == .mapping {
            keys.check(index, in: tree, into: &diagnostics)
        }
    }

    /// Sets the tag of a value, if the tag is known and fits.
    private mutating func applyTag(_ name: String, to index: Int, at range: SourceRange) {
        let node = tree.nodes[index]
        let tag = CoreTag(name, on: node.kind)
        tree.nodes[index].tag = tag
        if tag == .unsupported {
            report(
                .unsupportedTag,
                "the tag `\(CoreTag.shortName(name).excerpt)` is not valid for a \(node.kind.word)",
                at: range,
                help: "valid tags here: \(CoreTag.known(on: node.kind)); "
                    + "put a value that starts with `!` in quotes"
            )
        } else if tag.isOfValues, !node.flags.contains(.hasInterpolation),
            tree.withBytes(of: index, { CoreSchema.resolve($0, as: tag) }) == nil
        {
            report(
                .tagMismatch,
                "`\(tree.text(of: index).excerpt)` is not a valid `\(CoreTag.shortName(name))`",
                at: tree.range(of: index)
            )
        }
    }

    private mutating func checkKey(_ index: Int, of mapping: Int) {
        let target = tree.resolved(index)
        guard tree.nodes[target].kind == .scalar else {
            report(
                .keyNotScalar,
                "a key is a text, not a \(tree.nodes[target].kind.word)",
                at: tree.point(index),
                help: "put a value that starts with `{` or `[` in quotes"
            )
            return
        }
        guard tree.isPlainMergeSign(index) else { return }
        tree.nodes[index].flags.insert(.hasMerge)
        tree.nodes[mapping].flags.insert(.hasMerge)
    }

    private mutating func refuseSize(at mark: EventReader.Mark) -> Bool {
        report(
            .tooLarge,
            "a job file may hold at most 4 million values",
            at: mark.point
        )
        return false
    }

    mutating func refuseNesting(at mark: EventReader.Mark) -> Bool {
        report(
            .nesting,
            "sequences and mappings may be nested at most \(DocumentLimits.nesting) deep",
            at: mark.point
        )
        return false
    }

    mutating func report(
        _ fault: YAMLFault,
        _ message: String,
        at range: SourceRange,
        notes: [Diagnostic.Note] = [],
        help: String? = nil
    ) {
        diagnostics.append(Diagnostic(fault, message, at: range, notes: notes, help: help))
    }
}

extension TreeBuilder {
    /// The target of an anchor.
    struct Anchor {
        var index: UInt32
        /// The number of values in an alias's expansion; 0 while the collection is open.
        var size: UInt32
        /// The number of nesting levels that an alias adds.
        var height: UInt8
        /// The length of all texts in an alias's expansion.
        var bytes: Int

        init(index: Int, size: Int, height: Int, bytes: Int) {
            self.bytes = bytes
            self.index = UInt32(truncatingIfNeeded: index)
            self.size = UInt32(truncatingIfNeeded: size)
            self.height = UInt8(truncatingIfNeeded: height)
        }
    }

    /// Records the target of an anchor from here on.
    mutating func set(_ name: String, to anchor: Anchor) {
        anchors[name] = anchor
    }

    /// Adds an alias; false without a target or beyond a limit.
    mutating func addAlias(_ node: inout Node, from reader: borrowing EventReader) -> Bool {
        let start = reader.start
        let name = reader.anchor(of: .alias) ?? ""
        let extent = tree.extent(from: start, to: reader.end)
        node.kind = .alias
        node.reach = extent
        let range = tree.range(line: start.line, column: start.column, extent: extent)
        guard let anchor = anchors[name] else {
            let known = anchors.count <= 1_000 ? anchors.keys.sorted() : []
            let near = NearestName.find(name, among: known)
            report(
                .undefinedAlias,
                "no anchor `&\(name.excerpt)` is defined before this alias",
                at: range,
                help: near.map { "did you mean `*\($0.excerpt)`?" }
                    ?? "put a value that starts with `*` in quotes"
            )
            return false
        }
        let meaning = Int(anchor.index)
        let note = Diagnostic.Note("`&\(name.excerpt)` is defined here", at: tree.point(meaning))
        guard anchor.size > 0 else {
            report(
                .recursiveAlias,
                "the alias `*\(name.excerpt)` refers to a value that contains it",
                at: range,
                notes: [note]
            )
            return false
        }
        size.values += Int(anchor.size) - 1
        size.textBytes += anchor.bytes
        guard size.values <= DocumentLimits.nodes, size.textBytes <= DocumentLimits.expandedBytes
        else {
            let limit =
                size.values > DocumentLimits.nodes ? "4 million values" : "256 MiB of text"
            report(
                .aliasExpansion,
                "with this alias the file expands to more than \(limit)",
                at: range,
                notes: [note]
            )
            return false
        }
        let depth = open.count + Int(anchor.height)
        guard depth <= DocumentLimits.nesting else { return refuseNesting(at: start) }
        if let parent = open.indices.last {
            open[parent].deepest = max(open[parent].deepest, depth)
        }
        node.content = anchor.index
        tree.nodes.append(node)
        return true
    }
}

/// Problems of a job file that do not depend on its meaning; the raw values are the stable codes.
package enum YAMLFault: String, Sendable, CaseIterable {
    /// The file has no content.
    case empty = "yaml.empty"
    /// Bytes that are not UTF-8, or another Unicode encoding.
    case notUTF8 = "yaml.not-utf8"
    /// A character that YAML 1.2 §5.1 excludes.
    case controlCharacter = "yaml.control-character"
    /// More bytes or values than `DocumentLimits` allows.
    case tooLarge = "yaml.too-large"
    /// Deeper nesting than `DocumentLimits` allows, following aliases.
    case nesting = "yaml.nesting"
    /// An alias that expands the file to too many values.
    case aliasExpansion = "yaml.alias-expansion"
    /// An alias inside its own target.
    case recursiveAlias = "yaml.recursive-alias"
    /// An alias without an anchor before it.
    case undefinedAlias = "yaml.undefined-alias"
    /// A second document in the file.
    case multipleDocuments = "yaml.multiple-documents"
    /// A tab as indentation.
    case tabIndent = "yaml.tab-indent"
    /// Text that is not YAML.
    case syntax = "yaml.syntax"
    /// A duplicate key in a mapping.
    case duplicateKey = "yaml.duplicate-key"
    /// A key that is a sequence or a mapping.
    case keyNotScalar = "yaml.key-not-scalar"
    /// A `<<` whose value is neither a mapping nor a sequence of mappings.
    case badMerge = "yaml.bad-merge"
    /// An unknown or misplaced tag.
    case unsupportedTag = "yaml.unsupported-tag"
    /// A scalar whose text does not fit its tag.
    case tagMismatch = "yaml.tag-mismatch"
    /// Too many problems, so that the rest of the file was not read.
    case tooManyFaults = "yaml.too-many-faults"
}

extension Diagnostic {
    /// An error with one of this target's codes.
    init(
        _ fault: YAMLFault,
        _ message: String,
        at range: SourceRange,
        notes: [Note] = [],
        help: String? = nil
    ) {
        self.init(code: fault.rawValue, message, at: range, notes: notes, help: help)
    }
}

/// Finds the start of a scalar after its anchor and tag.
///
/// libyaml reports one start for all three.
struct PropertyScan {
    /// The offset of the next byte.
    private(set) var offset: Int
    private(set) var mark: EventReader.Mark
    /// The range of the tag, if any.
    private(set) var tag: SourceRange?

    /// Skips the properties from `mark`, at byte offset `offset`, up to `end` at most.
    init(_ bytes: [UInt8], at offset: Int, mark: EventReader.Mark, end: EventReader.Mark) {
        self.offset = offset
        self.mark = mark
        let span = bytes.span
        while self.mark.index < end.index, self.offset < span.count {
            switch span[self.offset] {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                let isTag = span[self.offset] == UInt8(ascii: "!")
                let start = self.mark.point.start
                skip(span, to: end) { !span.isWhiteSpace(at: $0) }
                if isTag { tag = SourceRange(start: start, end: self.mark.point.start) }
            case UInt8(ascii: "#"):
                skip(span, to: end) { span.lineBreak(at: $0) == 0 }
            case _ where span.isWhiteSpace(at: self.offset):
                skip(span, to: end) { span.isWhiteSpace(at: $0) }
            default:
                return
            }
        }
    }

    private mutating func skip(
        _ span: Span<UInt8>,
        to end: EventReader.Mark,
        while condition: (Int) -> Bool
    ) {
        while mark.index < end.index, offset < span.count, condition(offset) {
            let lineBreak = span.lineBreak(at: offset)
            if lineBreak > 0 {
                // CR LF is one line break of two characters.
                mark.index += lineBreak == 2 && span[offset] == 0x0D ? 2 : 1
                mark.line += 1
                mark.column = 1
                offset += lineBreak
            } else {
                mark.index += 1
                mark.column += 1
                offset += span.scalar(at: offset)?.length ?? 1
            }
        }
    }
}

extension Span<UInt8> {
    fileprivate func isWhiteSpace(at index: Int) -> Bool {
        self[index].isBlank || lineBreak(at: index) > 0
    }
}
