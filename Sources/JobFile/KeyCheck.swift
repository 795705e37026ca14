internal import Diagnostics
internal import SystemKit

/// Checks the keys of a complete mapping: no duplicates, and merges of mappings only.
struct KeyCheck {
    /// The hash of a key's text, and its index in the mapping.
    private struct Entry {
        var hash: Int
        var index: Int
    }

    /// Reused for all mappings.
    private var entries: [Entry] = []

    /// From this many keys on, keys are sorted instead of compared in pairs.
    private static let manyKeys = 16

    mutating func check(_ mapping: Int, in tree: Tree, into diagnostics: inout [Diagnostic]) {
        let node = tree.nodes[mapping]
        entries.removeAll(keepingCapacity: true)
        let isLarge = node.length / 2 > Self.manyKeys
        let nodes = tree.nodes.span
        var child = mapping + 1
        while child < Int(node.reach) {
            let key = nodes[child]
            let value = key.next(after: child)
            let target = key.kind == .alias ? nodes[Int(key.content)] : key
            if target.kind == .scalar {
                let hash =
                    isLarge ? Self.hash(of: tree.resolved(child), in: tree) : Int(target.length)
                entries.append(Entry(hash: hash, index: child))
            }
            if key.kind == .scalar, key.flags.contains(.hasMerge) {
                checkMerge(value, in: tree, into: &diagnostics)
            }
            child = nodes[value].next(after: value)
        }
        if isLarge {
            checkMany(in: tree, into: &diagnostics)
        } else {
            checkFew(in: tree, into: &diagnostics)
        }
    }

    private func checkFew(in tree: Tree, into diagnostics: inout [Diagnostic]) {
        for later in 0..<entries.count {
            for earlier in 0..<later where areEqual(entries[earlier], entries[later], in: tree) {
                report(entries[later].index, after: entries[earlier].index, in: tree, &diagnostics)
                break
            }
        }
    }

    /// Sorts by hash, so that equal keys are adjacent: even a million keys remain affordable.
    private mutating func checkMany(in tree: Tree, into diagnostics: inout [Diagnostic]) {
        entries.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
        var repeats: [(later: Int, first: Int)] = []
        // Different keys with one hash: usually one, because the hash has a key of this process.
        var group: [Entry] = []
        for entry in entries {
            if group.first?.hash != entry.hash { group.removeAll(keepingCapacity: true) }
            if let first = group.first(where: { areEqual($0, entry, in: tree) }) {
                repeats.append((entry.index, first.index))
            } else {
                group.append(entry)
            }
        }
        repeats.sort { $0.later < $1.later }
        for pair in repeats.prefix(DocumentLimits.diagnostics) {
            report(pair.later, after: pair.first, in: tree, &diagnostics)
        }
    }

    private func areEqual(_ left: Entry, _ right: Entry, in tree: Tree) -> Bool {
        guard left.hash == right.hash else { return false }
        let leftIndex = tree.resolved(left.index)
        let rightIndex = tree.resolved(right.index)
        return tree.withBytes(of: leftIndex) { leftBytes in
            tree.withBytes(of: rightIndex) { leftBytes.equals($0) }
        }
    }

    private static func hash(of index: Int, in tree: Tree) -> Int {
        var hasher = Hasher()
        tree.withBytes(of: index) { $0.combine(into: &hasher) }
        return hasher.finalize()
    }

    private func report(
        _ later: Int,
        after first: Int,
        in tree: Tree,
        _ diagnostics: inout [Diagnostic]
    ) {
        let text = tree.text(of: later).excerpt
        diagnostics.append(
            Diagnostic(
                .duplicateKey,
                "duplicate key `\(text)` in this mapping",
                at: tree.range(of: later),
                notes: [.init("the first one is here", at: tree.range(of: first))]
            )
        )
    }

    private func checkMerge(_ value: Int, in tree: Tree, into diagnostics: inout [Diagnostic]) {
        let target = tree.resolved(value)
        switch tree.nodes[target].kind {
        case .mapping:
            return
        case .sequence:
            var element = target + 1
            while element < Int(tree.nodes[target].reach) {
                if tree.nodes[tree.resolved(element)].kind != .mapping {
                    reportMerge(element, in: tree, &diagnostics)
                }
                element = tree.nodes[element].next(after: element)
            }
        case .scalar, .alias:
            reportMerge(value, in: tree, &diagnostics)
        }
    }

    private func reportMerge(_ index: Int, in tree: Tree, _ diagnostics: inout [Diagnostic]) {
        diagnostics.append(
            Diagnostic(
                .badMerge,
                "`<<` can only merge mappings",
                at: tree.range(of: index),
                help:
                    "write `<<: *anchor` or `<<: [*one, *two]`, with anchors of mappings"
            )
        )
    }
}
