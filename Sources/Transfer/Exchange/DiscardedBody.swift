/// The progress of a body that libcurl discards.
struct DiscardedBody {
    /// The most bytes of a body that is discarded.
    static let limit: Int64 = 1 << 20
    /// The most consecutive pieces without body bytes: a chunk's size and line ends may come in
    /// many pieces.
    private static let mostEmptyPieces = 256

    /// The body bytes that libcurl reported.
    private(set) var count: Int64 = 0
    private var emptyPieces = 0

    /// Whether chunks contain only framing, such as endless extensions (RFC 9112 §7.1.1).
    ///
    /// Valid for chunked framing only: libcurl also reports a body when another stream of the
    /// connection progressed.
    var isStuck: Bool { emptyPieces > Self.mostEmptyPieces }

    /// Takes the body bytes so far; returns whether they increased.
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
