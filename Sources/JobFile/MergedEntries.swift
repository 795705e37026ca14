/// Collects the entries that `<<` keys add to a mapping.
enum MergedEntries {
    /// The entries of merged mappings, in order: own keys and earlier merges take precedence.
    ///
    /// Merged mappings may contain merges. The recursion ends, because an alias cannot reach its
    /// own anchor and nesting is limited.
    static func of(_ mapping: Int, in document: Document) -> [Entries.Element] {
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
        var merged: [Entries.Element] = []
        for source in sources {
            for entry in Entries(of: source, in: document)
            where known.insert(document.text(of: entry.key)).inserted {
                merged.append(entry)
            }
        }
        return merged
    }

    /// Whether a `<<` of the mapping or of a merged one has anything but mappings.
    static func hasFault(_ mapping: Int, in tree: Tree) -> Bool {
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
            hasFault = sources.count < count || sources.contains { Self.hasFault($0, in: tree) }
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
