internal import Diagnostics

extension TreeBuilder {
    /// The start for all parts: a copy with fresh counts and a neutral open section.
    var forParts: TreeBuilder {
        var head = self
        head.diagnostics = []
        // A part with a single problem is useless.
        head.mostDiagnostics = 1
        head.expandedCount = 0
        head.expandedBytes = 0
        head.open[1].deepest = 2
        head.tree.nodes[open[1].index].flags = []
        head.tree.nodes[open[1].index].length = 0
        return head
    }

    /// Moves to another piece, whose entries belong to the open section.
    mutating func beginPart(at cut: Cut, length: Int) {
        cursor.restart(at: cut.offset)
        tree.nodes.reserveCapacity(tree.nodes.count + length / 8)
        tree.nodes[open[1].index].column = UInt32(truncatingIfNeeded: cut.indent + 1)
    }

    /// Whether only entries of one section followed `head`, without problems and anchors.
    func isPart(behind head: TreeBuilder) -> Bool {
        diagnostics.isEmpty && anchorCount == head.anchorCount
            && open[1].index == head.open[1].index
    }

    /// Whether the part's aliases have the same targets here, and the limits are kept.
    func canTake(_ part: Part) -> Bool {
        part.builder.anchorCount == anchorCount
            && expandedCount + part.builder.expandedCount <= DocumentLimits.nodes
            && expandedBytes + part.builder.expandedBytes <= DocumentLimits.expandedBytes
    }

    /// Appends the entries of a part, whose first line is `line`, to the open section.
    mutating func take(_ part: Part, behind head: TreeBuilder, at line: UInt32) {
        let section = part.builder.tree.nodes[part.builder.open[1].index]
        tree.nodes[open[1].index].length += section.length
        tree.nodes[open[1].index].flags.formUnion(section.flags)
        tree.append(part.builder.tree, behind: head.tree, lines: line - 1)
        expandedCount += part.builder.expandedCount
        expandedBytes += part.builder.expandedBytes
        open[1].deepest = max(open[1].deepest, part.builder.open[1].deepest)
    }
}
