extension Tree {
    /// Appends the part of another tree after `head`, with which both trees begin.
    ///
    /// References into `head` stay the same; all other positions move, by `lines` and by the added
    /// nodes and bytes.
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

    /// The offsets to add to a part's records.
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
                // The anchor is in the head.
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
