package import SystemKit
package import TransferModel

/// Where responses are kept.
///
/// Whatever goes wrong in it, the responses are not there: it never fails anybody.
///
/// Its methods may be called from any thread.
package protocol CacheStore: AnyObject, Sendable {
    /// A larger body is not kept, bytes.
    var largestBody: Int64 { get }
    /// Why it is no longer used; nil while it is.
    var fault: String? { get }
    /// Whether nothing can be found in it, as far as that is known without a look.
    var isEmpty: Bool { get }
    /// What makes responses untrue before they are stored.
    var changes: OriginChanges { get }
    /// Everything that is stored under a key.
    func find(_ key: CacheKey) -> [StoredResponse]
    /// The body of a stored response; nil when it is gone.
    func open(_ body: StoredResponse.Body) -> StoredBody?
    /// Larger bodies get a file before they are whole, bytes.
    var largestInMemory: Int { get }
    /// A file for the body of a response that is too large for memory; nil when none can be made.
    func makeFile(
        for response: StoredResponse,
        _ key: CacheKey
    ) -> (file: OutputFile, name: String)?
    /// Such a file could not be written.
    func didFail(_ error: SystemError)
    /// Adds a response in the place of those with the same selection; false when that cannot be
    /// done, or when what it says has changed meanwhile.
    ///
    /// - Parameters:
    ///   - response: Its head.
    ///   - content: Its body.
    ///   - key: Where it belongs.
    ///   - originTime: What it says is of then or later.
    /// - Returns: Whether it is stored.
    func add(
        _ response: StoredResponse,
        _ content: CacheDraft.Content,
        for key: CacheKey,
        of originTime: Timestamp
    ) -> Bool
    /// Changes what is said of a stored response, whose body stays; false when it is gone, or has
    /// changed meanwhile.
    func update(_ response: StoredResponse, for key: CacheKey) -> Bool
    /// Removes everything under a key.
    func remove(_ key: CacheKey)
    /// Waits for what runs in the background.
    func close()
}

/// The body of a stored response, open for reading.
package enum StoredBody: Sendable {
    case memory([UInt8])
    case file(InputFile)

    /// How much is read at once.
    private static let pieceSize = 256 << 10

    /// Hands out the bytes from `start` on, piece by piece.
    ///
    /// - Parameters:
    ///   - start: From the beginning.
    ///   - count: How many; no more than there are behind `start`.
    ///   - body: Takes a piece; false ends the reading.
    /// - Returns: Whether every piece was taken.
    /// - Throws: What pread(2) says; also when the file is shorter than it must be.
    package func forEachPiece(
        from start: Int64 = 0,
        count: Int64,
        _ body: (Span<UInt8>) -> Bool
    ) throws(SystemError) -> Bool {
        switch self {
        case .memory(let bytes):
            let span = bytes.span
            guard start >= 0, count >= 0, start + count <= Int64(span.count) else {
                throw SystemError.notPermitted("read", "a stored body", reason: "it is cut")
            }
            if count == 0 { return true }
            return body(span.extracting(Int(start)..<Int(start + count)))
        case .file(let file):
            var offset = start
            while offset < start + count {
                let size = Int(min(Int64(Self.pieceSize), start + count - offset))
                let piece = try file.read(at: offset, count: size)
                guard !piece.isEmpty else {
                    throw SystemError.notPermitted("read", "a stored body", reason: "it is cut")
                }
                guard body(piece.span) else { return false }
                offset += Int64(piece.count)
            }
            return true
        }
    }

    /// Whether the body is what it was when it was stored.
    package func isIntact(_ stored: StoredResponse.Body) -> Bool {
        if case .file(let file) = self, file.identity.size != stored.length { return false }
        var hash = ContentHash()
        let isWhole = try? forEachPiece(count: stored.length) { piece in
            hash.update(piece)
            return true
        }
        return isWhole == true && hash.value == stored.hash
    }
}
