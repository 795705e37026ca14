extension Tree {
    /// Adds what another tree has behind `head`, with which both begin.
    ///
    /// What it says of `head` holds here as well; all else stands `lines` further down, and farther
    /// behind.
    mutating func append(_ part: Tree, behind head: Tree, lines: UInt32) {
        let shift = Shift(
            nodes: UInt32(truncatingIfNeeded: nodes.count - head.nodes.count),
            arena: UInt32(truncatingIfNeeded: arena.count - head.arena.count),
            ends: UInt32(truncatingIfNeeded: ends.count - head.ends.count),
            lines: lines
        )
        for index in head.nodes.count..<part.nodes.count {
            nodes.append(shift.moved(part.nodes[index]))
        }
        arena += part.arena[head.arena.count...]
        for end in part.ends[head.ends.count...] {
            ends.append(End(line: end.line &+ lines, column: end.column))
        }
    }

    /// How far the records of a part move.
    private struct Shift {
        let nodes: UInt32
        let arena: UInt32
        let ends: UInt32
        let lines: UInt32

        func moved(_ node: Node) -> Node {
            var node = node
            node.line &+= lines
            switch node.kind {
            case .scalar:
                if node.flags.contains(.isInArena) { node.content &+= arena }
                node.reach = moved(extent: node.reach)
            case .alias:
                // Its anchor is in the head.
                node.reach = moved(extent: node.reach)
            case .sequence, .mapping:
                node.reach &+= nodes
                node.content = moved(extent: node.content)
            }
            return node
        }

        private func moved(extent: UInt32) -> UInt32 {
            extent & Tree.isMultiline == 0 ? extent : extent &+ ends
        }
    }
}
