/// The elements of a sequence, in order.
package struct Elements: Sequence, IteratorProtocol {
    private let document: Document
    private var index: Int
    private let end: Int

    init(of sequence: Int, in document: Document) {
        self.document = document
        let node = document.tree.nodes[sequence]
        index = sequence + 1
        end = node.kind == .sequence ? Int(node.reach) : index
    }

    /// The next element; nil after the last.
    package mutating func next() -> NodeID? {
        guard index < end else { return nil }
        defer { index = document.tree.nodes[index].next(after: index) }
        return NodeID(index: index)
    }
}
