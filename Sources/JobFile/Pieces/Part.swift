/// The result of reading one piece after the head of the document.
struct Part: Sendable {
    let builder: TreeBuilder
    /// The number of lines in the piece.
    let lines: UInt32
}
