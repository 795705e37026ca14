package import Diagnostics

extension Document {
    /// Puts the trees of several texts into one document, with the root of the first.
    ///
    /// - Parameters:
    ///   - documents: The documents of the files of `source`, at least one, in their order.
    ///   - source: The text of all files.
    /// - Returns: The document, and the root of each file in it.
    package static func joined(
        _ documents: [Document],
        of source: SourceText
    ) -> (document: Document, roots: [NodeID]) {
        var tree = Tree(source: source.bytes)
        var roots: [NodeID] = []
        for (number, document) in documents.enumerated() {
            roots.append(NodeID(index: tree.nodes.count + document.root.index))
            let place = number > 0 ? source.included[number - 1] : nil
            tree.append(document.tree, at: place)
        }
        let root = roots.first?.index ?? 0
        return (Document(source: source, tree: tree, root: root), roots)
    }

    /// The same document with another mapping as its root.
    ///
    /// - Parameter entries: The key of each entry, and its value; several values are mappings,
    ///   which become one with the entries of all.
    /// - Returns: The document.
    package func rooted(in entries: [(key: NodeID, values: [NodeID])]) -> Document {
        var tree = tree
        let root = tree.copy(emptying: self.root.index)
        for entry in entries {
            tree.copy(entry.key.index)
            guard entry.values.count > 1 else {
                for value in entry.values { tree.copy(value.index) }
                continue
            }
            let merged = tree.copy(emptying: entry.values[0].index)
            var count = 0
            for (key, value) in entry.values.flatMap({ self.entries(of: $0) }) {
                tree.copy(key.index)
                tree.copy(value.index)
                count += 1
            }
            tree.close(merged, count: count)
        }
        tree.close(root, count: entries.count)
        return Document(source: source, tree: tree, root: root)
    }
}

extension Tree {
    /// Adds the values of another text, which a place in the source includes; nil at its start.
    fileprivate mutating func append(_ other: Tree, at place: SourceText.Included?) {
        let lines = UInt32(truncatingIfNeeded: (place?.firstLine ?? 1) - 1)
        let offset = UInt32(truncatingIfNeeded: place?.start ?? 0)
        let firstNode = UInt32(truncatingIfNeeded: nodes.count)
        let firstByte = UInt32(truncatingIfNeeded: arena.count)
        let firstEnd = UInt32(truncatingIfNeeded: ends.count)
        let moved = { (extent: UInt32) in
            extent & Self.isMultiline != 0 ? extent + firstEnd : extent
        }
        for var node in other.nodes {
            node.line += lines
            switch node.kind {
            case .scalar:
                node.content += node.flags.contains(.isInArena) ? firstByte : offset
                node.reach = moved(node.reach)
            case .alias:
                node.content += firstNode
                node.reach = moved(node.reach)
            case .sequence, .mapping:
                node.content = moved(node.content)
                node.reach += firstNode
            }
            nodes.append(node)
        }
        arena += other.arena
        ends += other.ends.map { End(line: $0.line + lines, column: $0.column) }
    }

    /// Adds a copy of a mapping without its entries, to be closed; the result is its index.
    fileprivate mutating func copy(emptying index: Int) -> Int {
        let node = nodes[resolved(index)]
        nodes.append(Node(line: node.line, column: node.column, kind: .mapping))
        return nodes.count - 1
    }

    /// Ends the mapping at `index`, which has so many entries.
    fileprivate mutating func close(_ index: Int, count: Int) {
        nodes[index].length = UInt32(truncatingIfNeeded: 2 * count)
        nodes[index].reach = UInt32(truncatingIfNeeded: nodes.count)
    }

    /// Adds a copy of a scalar or an alias, or an alias of a collection in its place.
    fileprivate mutating func copy(_ index: Int) {
        var node = nodes[index]
        if node.kind == .sequence || node.kind == .mapping {
            let end = range(of: index).end
            ends.append(
                End(
                    line: UInt32(truncatingIfNeeded: end.line),
                    column: UInt32(truncatingIfNeeded: end.column)
                )
            )
            node = Node(
                line: node.line,
                column: node.column,
                content: UInt32(truncatingIfNeeded: index),
                reach: Self.isMultiline | UInt32(truncatingIfNeeded: ends.count - 1),
                kind: .alias
            )
        }
        nodes.append(node)
    }
}
