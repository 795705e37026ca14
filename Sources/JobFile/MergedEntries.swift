/// What the `<<` keys of a mapping add to it.
enum MergedEntries {
    /// The entries that are not the mapping's own, in order: an own key wins, then the earlier
    /// merge.
    ///
    /// Merged mappings may merge themselves; that ends, because an alias cannot reach its own
    /// anchor and nesting is limited with aliases followed.
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

    /// Whether a `<<` of the mapping, or of one that it merges, names something else than mappings.
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

    /// The mappings that the value of a `<<` names; none for a value that is a fault.
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
