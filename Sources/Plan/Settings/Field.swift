internal import JobFile

/// A value of the document under the name of the key that it belongs to.
struct Field: Sendable {
    let name: String
    let key: NodeID
    let node: NodeID
}
