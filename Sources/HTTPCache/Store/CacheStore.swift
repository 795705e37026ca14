package import SystemKit
package import TransferModel

/// A place that keeps responses.
///
/// After any error the store behaves as if it had no responses: no transfer fails because of it.
///
/// Its methods may be called from any thread.
package protocol CacheStore: AnyObject, Sendable {
    /// Larger bodies are not kept, bytes.
    var largestBody: Int64 { get }
    /// Why the store is no longer used; nil while it works.
    var fault: String? { get }
    /// Whether the store is known to be empty without a lookup.
    var isEmpty: Bool { get }
    /// The changes that make responses invalid before they are stored.
    var changes: OriginChanges { get }
    /// All responses under a key.
    func find(_ key: CacheKey) -> [StoredResponse]
    /// The body of a stored response; nil when the store no longer has it.
    func open(_ body: StoredResponse.Body) -> StoredBody?
    /// Larger bodies are written to a file while they arrive, bytes.
    var largestInMemory: Int { get }
    /// A file for a response body that is too large for memory; nil when that fails.
    func makeFile(
        for response: StoredResponse,
        _ key: CacheKey
    ) -> (file: OutputFile, name: String)?
    /// Reports that such a file could not be written.
    func didFail(_ error: SystemError)
    /// Adds a response and replaces those with the same selection; false when that fails or the
    /// content has changed meanwhile.
    ///
    /// - Parameters:
    ///   - response: The response's head.
    ///   - content: The body.
    ///   - key: The key to store it under.
    ///   - originTime: The content reflects this time or later.
    /// - Returns: Whether the response is stored.
    func add(
        _ response: StoredResponse,
        _ content: ReceivedBody,
        for key: CacheKey,
        of originTime: Timestamp
    ) -> Bool
    /// Updates the head of a stored response and keeps its body; false when the response was
    /// removed or changed meanwhile.
    func update(_ response: StoredResponse, for key: CacheKey) -> Bool
    /// Removes everything under a key.
    func remove(_ key: CacheKey)
    /// Waits for the background work.
    func close()
}

/// The body of a response in progress, as far as it has arrived.
package enum ReceivedBody: Sendable {
    case memory([UInt8])
    /// The file has no name yet and will get `name`.
    case file(OutputFile, name: String)
}

/// The body of a stored response, open for reading.
package enum StoredBody: Sendable {
    case memory([UInt8])
    case file(InputFile)

    /// The most bytes read at once.
    private static let pieceSize = 256 << 10

    /// Passes the bytes from `start` on to `body`, piece by piece.
    ///
    /// - Parameters:
    ///   - start: The offset from the beginning.
    ///   - count: The number of bytes; no more than follow `start`.
    ///   - body: Takes a piece; false ends the reading.
    /// - Returns: Whether every piece was taken.
    /// - Throws: The error of pread(2); also when the file is shorter than it must be.
    package func forEachPiece(
        from start: Int64 = 0,
        count: Int64,
        _ body: (Span<UInt8>) -> Bool
    ) throws(SystemError) -> Bool {
        switch self {
        case .memory(let bytes):
            let span = bytes.span
            guard start >= 0, count >= 0, start + count <= Int64(span.count) else {
                throw SystemError.notPermitted("read", "a stored body", reason: "the body is cut")
            }
            if count == 0 { return true }
            return body(span.extracting(Int(start)..<Int(start + count)))
        case .file(let file):
            var offset = start
            while offset < start + count {
                let size = Int(min(Int64(Self.pieceSize), start + count - offset))
                let piece = try file.read(at: offset, count: size)
                guard !piece.isEmpty else {
                    throw SystemError.notPermitted(
                        "read",
                        "a stored body",
                        reason: "the body is cut"
                    )
                }
                guard body(piece.span) else { return false }
                offset += Int64(piece.count)
            }
            return true
        }
    }

    /// Whether the body still has its stored length and hash.
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
