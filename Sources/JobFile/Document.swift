package import Diagnostics
internal import SystemKit

/// The result of parsing a text: the document, unless it is unreadable, and all problems.
package struct ParseResult: Sendable {
    /// Present even with problems that leave the tree intact, so that more can be found.
    package let document: Document?
    /// In file order.
    package let diagnostics: [Diagnostic]
    /// The size of the text, and of the texts before it.
    package let size: DocumentSize
}

/// A YAML text as a located tree, which never changes.
///
/// Aliases are followed for every property of a value except its place.
package final class Document: Sendable {
    /// The text, for showing places in it.
    package let source: SourceText
    let tree: Tree
    /// The outermost value.
    package let root: NodeID

    init(source: SourceText, tree: Tree, root: Int = 0) {
        self.source = source
        self.tree = tree
        self.root = NodeID(index: root)
    }

    /// The name of the text.
    package var name: String { source.name }

    /// Reads one YAML document within `DocumentLimits`.
    ///
    /// Problems that do not depend on the file's subject become diagnostics with a `yaml.` code.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - name: The name of the text for messages.
    ///   - size: The size of the texts that count against the same limits.
    /// - Returns: The document and the problems.
    package static func parse(
        _ bytes: [UInt8],
        name: String,
        behind size: DocumentSize = DocumentSize()
    ) -> ParseResult {
        let source = SourceText(name: name, bytes: bytes)
        let input: InputCheck
        do throws(InputCheck.Refusal) {
            input = try InputCheck(source)
        } catch {
            return ParseResult(document: nil, diagnostics: [error.diagnostic], size: size)
        }
        let cursor = SourceCursor(base: input.base, isASCII: input.isASCII)
        let (builder, isWhole) = TreeBuilder.read(source, cursor: cursor, behind: size)
        return ParseResult(
            document: isWhole ? Document(source: source, tree: builder.tree) : nil,
            diagnostics: builder.diagnostics.inFileOrder,
            size: builder.size
        )
    }
}

extension Document {
    /// The kind of a value.
    package func kind(of id: NodeID) -> NodeKind {
        switch target(id).kind {
        case .scalar, .alias: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The elements of a sequence in order; empty for another value.
    package func elements(of id: NodeID) -> Elements {
        Elements(of: tree.resolved(id.index), in: self)
    }

    /// The elements of a sequence in order; another value alone.
    package func items(of id: NodeID) -> [NodeID] {
        kind(of: id) == .sequence ? Array(elements(of: id)) : [id]
    }

    /// The entries of a mapping in order, its own and then those merged by `<<`; empty for another
    /// value.
    ///
    /// An own key overrides a merged one, and an earlier merge overrides a later one.
    package func entries(of id: NodeID) -> Entries {
        Entries(of: tree.resolved(id.index), in: self)
    }

    /// The value of an entry of a mapping, by its key's node.
    package func value(behind key: NodeID) -> NodeID {
        NodeID(index: tree.nodes[key.index].next(after: key.index))
    }

    /// The entries of a mapping that `entries(of:)` omits because their keys are no scalars.
    package func omittedEntries(of id: NodeID) -> [Entries.Element] {
        let mapping = tree.resolved(id.index)
        guard tree.nodes[mapping].kind == .mapping else { return [] }
        var omitted: [Entries.Element] = []
        var index = mapping + 1
        while index < Int(tree.nodes[mapping].reach) {
            let key = index
            let value = tree.nodes[key].next(after: key)
            index = tree.nodes[value].next(after: value)
            if kind(of: NodeID(index: key)) != .scalar {
                omitted.append((NodeID(index: key), NodeID(index: value)))
            }
        }
        return omitted
    }

    /// The number of elements or entries; 0 for a scalar.
    package func count(of id: NodeID) -> Int {
        let index = tree.resolved(id.index)
        let node = tree.nodes[index]
        switch node.kind {
        case .scalar, .alias: return 0
        case .sequence: return Int(node.length)
        case .mapping:
            guard node.flags.contains(.hasMerge) else { return Int(node.length / 2) }
            return entries(of: id).reduce(0) { count, _ in count + 1 }
        }
    }

    /// Whether a mapping may lack entries because one of its merges is faulty and was reported.
    package func hasFaultyMerge(_ id: NodeID) -> Bool {
        Entries.hasFaultyMerge(tree.resolved(id.index), in: tree)
    }

    /// The entry of a mapping with a key, including merges.
    package func value(of id: NodeID, for key: String) -> (key: NodeID, value: NodeID)? {
        entries(of: id).first { hasText($0.key, equalTo: key) }
    }

    /// Whether a value is a scalar with this text, in any style.
    package func hasText(_ id: NodeID, equalTo text: String) -> Bool {
        let index = tree.resolved(id.index)
        guard tree.nodes[index].kind == .scalar else { return false }
        return tree.withBytes(of: index) { $0.equals(text.utf8.span) }
    }

    /// Whether any scalar of the document, key or value, has that text; checks all of them.
    package func hasScalar(_ text: String) -> Bool {
        let length = text.utf8.count
        return tree.nodes.indices.contains { index in
            tree.nodes[index].kind == .scalar && tree.nodes[index].length == length
                && tree.withBytes(of: index) { $0.equals(text.utf8.span) }
        }
    }

    /// The text of a scalar, with escapes and folds resolved; empty for a collection.
    package func text(of id: NodeID) -> String {
        withBytes(of: id) { $0.text }
    }

    /// The UTF-8 bytes of `text(of:)`, during the call.
    package func withBytes<Result, Failure: Error>(
        of id: NodeID,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try tree.withBytes(of: tree.resolved(id.index), body)
    }

    /// Whether a scalar contains `${`.
    package func hasInterpolation(_ id: NodeID) -> Bool {
        target(id).flags.contains(.hasInterpolation)
    }

    /// Whether a scalar has neither quotes nor block style.
    package func isPlain(_ id: NodeID) -> Bool {
        target(id).flags.contains(.isPlain)
    }

    /// The range of a value's text, quotes and brackets included; for an alias, the alias.
    package func range(of id: NodeID) -> SourceRange {
        tree.range(of: id.index)
    }

    /// The type of a scalar by its tag, or by its text when it is plain; a collection counts as a
    /// string.
    package func scalar(of id: NodeID) -> Scalar {
        let node = target(id)
        return withBytes(of: id) {
            CoreSchema.resolve($0, tag: node.tag, isPlain: node.flags.contains(.isPlain))
        }
    }

    func target(_ id: NodeID) -> Node {
        tree.nodes[tree.resolved(id.index)]
    }
}

/// The elements of a sequence, in order.
package struct Elements: Sequence, IteratorProtocol {
    private let document: Document
    private var index: Int
    private let end: Int

    init(of sequence: Int, in document: Document) {
        self.document = document
        let node = document.tree.nodes[sequence]
        index = sequence + 1
        end = node.kind == .sequence ? Int(node.reach) : index
    }

    /// The next element; nil after the last.
    package mutating func next() -> NodeID? {
        guard index < end else { return nil }
        defer { index = document.tree.nodes[index].next(after: index) }
        return NodeID(index: index)
    }
}

/// The entries of a mapping in order: its own, then those merged by `<<`.
package struct Entries: Sequence, IteratorProtocol {
    /// A scalar key and its value; entries with other keys are omitted and reported.
    package typealias Element = (key: NodeID, value: NodeID)

    private let document: Document
    private var index: Int
    private let end: Int
    /// The merged entries; computed first, because they are compared with all own entries.
    private let merged: [Element]
    private var mergedIndex = 0

    init(of mapping: Int, in document: Document) {
        self.document = document
        let node = document.tree.nodes[mapping]
        index = mapping + 1
        end = node.kind == .mapping ? Int(node.reach) : index
        let hasMerge = node.kind == .mapping && node.flags.contains(.hasMerge)
        merged = hasMerge ? Self.merged(into: mapping, in: document) : []
    }

    /// The next entry; nil after the last.
    package mutating func next() -> Element? {
        while index < end {
            let key = index
            let node = document.tree.nodes[key]
            let value = node.next(after: key)
            index = document.tree.nodes[value].next(after: value)
            if node.kind == .scalar, node.flags.contains(.hasMerge) { continue }
            // An alias may refer to a scalar.
            let target = node.kind == .alias ? document.tree.nodes[Int(node.content)] : node
            guard target.kind == .scalar else { continue }
            return (NodeID(index: key), NodeID(index: value))
        }
        guard mergedIndex < merged.count else { return nil }
        defer { mergedIndex += 1 }
        return merged[mergedIndex]
    }
}

// MARK: - Merges

extension Entries {
    /// The entries of merged mappings, in order: own keys and earlier merges take precedence.
    ///
    /// Merged mappings may contain merges. The recursion ends, because an alias cannot reach its
    /// own anchor and nesting is limited.
    private static func merged(into mapping: Int, in document: Document) -> [Element] {
        let tree = document.tree
        var known: Set<String> = []
        var sources: [Int] = []
        forEachOwn(mapping, in: tree) { key, value in
            if tree.nodes[key].kind == .scalar, tree.nodes[key].flags.contains(.hasMerge) {
                sources += mappings(of: tree.resolved(value), in: tree)
            } else {
                known.insert(tree.text(of: key))
            }
        }
        var merged: [Element] = []
        for source in sources {
            for entry in Entries(of: source, in: document)
            where known.insert(document.text(of: entry.key)).inserted {
                merged.append(entry)
            }
        }
        return merged
    }

    /// Whether a `<<` of the mapping or of a merged one has anything but mappings.
    static func hasFaultyMerge(_ mapping: Int, in tree: Tree) -> Bool {
        guard tree.nodes[mapping].kind == .mapping, tree.nodes[mapping].flags.contains(.hasMerge)
        else { return false }
        var hasFault = false
        forEachOwn(mapping, in: tree) { key, value in
            guard !hasFault, tree.nodes[key].kind == .scalar,
                tree.nodes[key].flags.contains(.hasMerge)
            else { return }
            let target = tree.resolved(value)
            let sources = mappings(of: target, in: tree)
            let count = tree.nodes[target].kind == .sequence ? Int(tree.nodes[target].length) : 1
            hasFault =
                sources.count < count || sources.contains { Self.hasFaultyMerge($0, in: tree) }
        }
        return hasFault
    }

    private static func forEachOwn(_ mapping: Int, in tree: Tree, _ body: (Int, Int) -> Void) {
        var key = mapping + 1
        while key < Int(tree.nodes[mapping].reach) {
            let value = tree.nodes[key].next(after: key)
            body(key, value)
            key = tree.nodes[value].next(after: value)
        }
    }

    /// The mappings in the value of a `<<`; empty for a faulty value.
    private static func mappings(of value: Int, in tree: Tree) -> [Int] {
        switch tree.nodes[value].kind {
        case .mapping:
            return [value]
        case .scalar, .alias:
            return []
        case .sequence:
            var mappings: [Int] = []
            var element = value + 1
            while element < Int(tree.nodes[value].reach) {
                let target = tree.resolved(element)
                if tree.nodes[target].kind == .mapping { mappings.append(target) }
                element = tree.nodes[element].next(after: element)
            }
            return mappings
        }
    }
}
