internal import Diagnostics

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
        expandedCount += Int(anchor.size) - 1
        expandedBytes += anchor.bytes
        guard expandedCount <= DocumentLimits.nodes, expandedBytes <= DocumentLimits.expandedBytes
        else {
            let limit =
                expandedCount > DocumentLimits.nodes ? "4 million values" : "256 MiB of text"
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
