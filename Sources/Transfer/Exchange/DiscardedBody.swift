/// What is known of a body that libcurl is told to hear of while it comes to nothing.
struct DiscardedBody {
    /// Pieces in a row that had no byte of the body: a chunk's size and its line ends may come as
    /// so many.
    private static let mostEmptyPieces = 256

    /// How many bytes of the body libcurl has told of.
    private(set) var count: Int64 = 0
    private var emptyPieces = 0

    /// Whether chunks bring framing only, such as extensions without end (RFC 9112 §7.1.1).
    ///
    /// Of another framing it says nothing: libcurl also tells of the body when another stream of
    /// its connection has moved.
    var isStuck: Bool { emptyPieces > Self.mostEmptyPieces }

    /// Takes how many bytes of the body there have been, and says whether they have become more.
    mutating func didGrow(to count: Int64) -> Bool {
        guard count > self.count else {
            emptyPieces += 1
            return false
        }
        self.count = count
        emptyPieces = 0
        return true
    }
}
