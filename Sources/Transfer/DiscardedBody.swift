/// What is known of a body that libcurl reads without handing it over.
struct DiscardedBody {
    /// Pieces in a row that had no byte of the body: a chunk's size and its line ends may come as so many.
    private static let mostEmptyPieces = 256

    private var count: Int64 = 0
    private var emptyPieces = 0

    /// Whether what comes is framing only, such as extensions of a chunk without end (RFC 9112 §7.1.1).
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
