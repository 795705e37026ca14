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
        merged = hasMerge ? MergedEntries.of(mapping, in: document) : []
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
