internal import JobFile

/// A value of the document under the name of the key that it belongs to.
struct Field: Sendable {
    let name: String
    let key: NodeID
    let node: NodeID
}

extension Field {
    /// The value of an entry of a mapping, under the name that the document gives it.
    init(_ entry: Entries.Element, in document: Document) {
        self.init(name: document.text(of: entry.key), key: entry.key, node: entry.value)
    }
}
