internal import Diagnostics

/// Makes the tree from libyaml's events and stops at the first thing that it may not hold.
///
/// All limits are checked on events, before anything is built from them: libyaml itself has none, and its time is
/// quadratic in the depth.
struct TreeBuilder {
    /// A collection whose end has not come yet.
    private struct Open {
        var index: Int
        /// `expandedCount` before it.
        var countBefore: Int
        /// Deepest nesting found inside so far, aliases followed.
        var deepest: Int
        var anchor: String?
    }

    /// What an anchor stands for.
    private struct Anchor {
        var index: Int
        /// Number of values that an alias stands for; nil while the collection is still open.
        var size: Int?
        /// Levels of collections that an alias adds.
        var height: Int
    }

    private(set) var tree: Tree
    private(set) var diagnostics: [Diagnostic] = []
    private var open: [Open] = []
    private var anchors: [String: Anchor] = [:]
    /// Values so far, every alias counted as all that it stands for.
    private var expandedCount = 0
    private var cursor: SourceCursor
    private var keys = KeyCheck()
    private let source: SourceText

    init(_ source: SourceText, cursor: SourceCursor) {
        self.source = source
        self.cursor = cursor
        tree = Tree(source: source.bytes)
        tree.nodes.reserveCapacity(min(source.bytes.count / 4 + 16, DocumentLimits.nodes))
    }

    /// Reads all events; false when what was built is not a whole document.
    mutating func build(from reader: borrowing EventReader) -> Bool {
        var documents = 0
        while let kind = reader.next() {
            switch kind {
            case .streamEnd:
                return finish()
            case .documentStart:
                documents += 1
                guard documents == 1 else { return refuseDocument(at: reader.start) }
            case .streamStart, .documentEnd:
                continue
            case .sequenceEnd, .mappingEnd:
                close(at: reader.end)
            case .scalar, .sequenceStart, .mappingStart, .alias:
                guard add(kind, from: reader) else { return false }
            }
            if diagnostics.count >= DocumentLimits.diagnostics { return giveUp(at: reader.start) }
        }
        diagnostics.append(SyntaxProblem(reader.problem, in: source).diagnostic)
        return false
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

    private mutating func refuseDocument(at mark: EventReader.Mark) -> Bool {
        report(
            .multipleDocuments,
            "a job file is one YAML document, and here a second one starts",
            at: mark.point,
            help: "put the second document into a file of its own"
        )
        return false
    }

    private mutating func giveUp(at mark: EventReader.Mark) -> Bool {
        report(
            .tooManyFaults,
            "the rest of the file was not read, because \(diagnostics.count) faults are listed",
            at: mark.point
        )
        return false
    }

    /// Adds the value that an event starts; false when a limit is passed.
    private mutating func add(
        _ kind: EventReader.Kind,
        from reader: borrowing EventReader
    ) -> Bool {
        let start = reader.start
        expandedCount += 1
        guard expandedCount <= DocumentLimits.nodes else { return refuseSize(at: start) }
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
        let start = reader.start
        let length = reader.valueLength
        node.length = UInt32(truncatingIfNeeded: length)
        node.reach = tree.extent(from: start, to: reader.end)
        if reader.isPlainScalar { node.flags.insert(.isPlain) }
        if length > 0 {
            // Most values are in the source as they are: a quoted one behind its quote.
            let first = cursor.offset(of: start.index, in: source.bytes)
            let offset = node.flags.contains(.isPlain) ? first : first + 1
            if !reader.isBlockScalar, reader.valueStands(at: offset - cursor.base) {
                node.content = UInt32(truncatingIfNeeded: offset)
            } else {
                node.content = UInt32(truncatingIfNeeded: tree.arena.count)
                node.flags.insert(.isInArena)
                reader.appendValue(to: &tree.arena)
            }
            if reader.valueHasInterpolation { node.flags.insert(.hasInterpolation) }
        }
        tree.nodes.append(node)
        let index = tree.nodes.count - 1
        if let name = reader.anchor(of: .scalar) {
            anchors[name] = Anchor(index: index, size: 1, height: 0)
        }
        if let tag = reader.tag(of: .scalar) { applyTag(tag, to: index) }
    }

    /// Opens a sequence or mapping; false when it is nested too deeply.
    private mutating func addCollection(
        _ node: inout Node,
        _ kind: EventReader.Kind,
        from reader: borrowing EventReader
    ) -> Bool {
        guard open.count < DocumentLimits.nesting else { return refuseNesting(at: reader.start) }
        node.kind = kind == .sequenceStart ? .sequence : .mapping
        if reader.isFlow(kind) { node.flags.insert(.isFlow) }
        let index = tree.nodes.count
        tree.nodes.append(node)
        let anchor = reader.anchor(of: kind)
        if let anchor { anchors[anchor] = Anchor(index: index, size: nil, height: 0) }
        open.append(
            Open(
                index: index,
                countBefore: expandedCount - 1,
                deepest: open.count + 1,
                anchor: anchor
            )
        )
        if let tag = reader.tag(of: kind) { applyTag(tag, to: index) }
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
        if let name = closed.anchor, anchors[name]?.index == index {
            anchors[name] = Anchor(
                index: index,
                size: expandedCount - closed.countBefore,
                height: closed.deepest - open.count
            )
        }
        if tree.nodes[index].kind == .mapping {
            keys.check(index, in: tree, into: &diagnostics)
        }
    }

    /// Adds an alias; false when it has no target or stands for more than a limit.
    private mutating func addAlias(_ node: inout Node, from reader: borrowing EventReader) -> Bool {
        let start = reader.start
        let name = reader.anchor(of: .alias) ?? ""
        let extent = tree.extent(from: start, to: reader.end)
        node.kind = .alias
        node.reach = extent
        let range = tree.range(line: start.line, column: start.column, extent: extent)
        guard let anchor = anchors[name] else {
            report(
                .undefinedAlias,
                "no anchor `&\(name)` stands before this alias",
                at: range
            )
            return false
        }
        guard let size = anchor.size else {
            report(
                .recursiveAlias,
                "the alias `*\(name)` stands inside of what it means",
                at: range,
                notes: [.init("`&\(name)` starts here", at: tree.point(anchor.index))]
            )
            return false
        }
        expandedCount += size - 1
        guard expandedCount <= DocumentLimits.nodes else {
            report(
                .aliasExpansion,
                "with this alias the file stands for more than 4 million values",
                at: range,
                notes: [.init("`&\(name)` is here", at: tree.point(anchor.index))]
            )
            return false
        }
        guard open.count + anchor.height <= DocumentLimits.nesting else {
            return refuseNesting(at: start)
        }
        if let parent = open.indices.last {
            open[parent].deepest = max(open[parent].deepest, open.count + anchor.height)
        }
        node.content = UInt32(truncatingIfNeeded: anchor.index)
        tree.nodes.append(node)
        return true
    }

    /// Puts a tag on a value, if the tag is known and the value fits it.
    private mutating func applyTag(_ name: String, to index: Int) {
        let node = tree.nodes[index]
        let tag = CoreTag(name, on: node.kind)
        tree.nodes[index].tag = tag
        if tag == .unsupported {
            report(
                .unsupportedTag,
                "the tag `\(CoreTag.shortName(name))` means nothing on this \(node.kind.word)",
                at: tree.point(index),
                help: "known are \(CoreTag.known(on: node.kind)); "
                    + "a value that starts with `!` needs quotes"
            )
        } else if tag.isOfValues, !node.flags.contains(.hasInterpolation),
            tree.withBytes(of: index, { CoreSchema.resolve($0, as: tag) }) == nil
        {
            report(
                .tagMismatch,
                "`\(tree.text(of: index))` is no `\(CoreTag.shortName(name))`",
                at: tree.point(index)
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

    private mutating func refuseNesting(at mark: EventReader.Mark) -> Bool {
        report(
            .nesting,
            "sequences and mappings may be nested at most \(DocumentLimits.nesting) deep",
            at: mark.point
        )
        return false
    }

    private mutating func report(
        _ fault: YAMLFault,
        _ message: String,
        at range: SourceRange,
        notes: [Diagnostic.Note] = [],
        help: String? = nil
    ) {
        diagnostics.append(
            Diagnostic(fault, message, at: range, notes: notes, help: help)
        )
    }
}
