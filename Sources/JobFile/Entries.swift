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
