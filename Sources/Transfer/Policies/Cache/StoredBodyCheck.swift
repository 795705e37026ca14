internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// Compares a long body with its stored length and hash, one step at a time.
struct StoredBodyCheck {
    /// The bytes read in one step; a body that is no longer than that is read at once.
    static let step: Int64 = 1 << 20

    let body: StoredBody
    /// The file at the destination; nil for a body in the store.
    let copy: InputFile?
    private let stored: StoredResponse.Body
    private let digest: MessageDigest?
    private var hash = ContentHash()
    private var offset: Int64 = 0

    /// Creates the check of a body in the store.
    init(of body: StoredBody, _ stored: StoredResponse.Body) {
        self.body = body
        self.stored = stored
        copy = nil
        digest = nil
    }

    /// Creates the check of a file at the destination that has the body's length.
    ///
    /// - Parameters:
    ///   - copy: The file.
    ///   - stored: The stored properties of the body.
    ///   - algorithm: The algorithm of a digest to compute as well; nil for none.
    init(of copy: InputFile, _ stored: StoredResponse.Body, _ algorithm: Checksum.Algorithm?) {
        body = .file(copy)
        self.stored = stored
        self.copy = copy
        digest = algorithm.flatMap { MessageDigest($0.family) }
    }

    /// Reads the next step.
    ///
    /// - Returns: Whether the body is intact; nil when there is more to read.
    mutating func goOn() -> Bool? {
        let count = min(Self.step, stored.length - offset)
        let digest = digest
        var hash = hash
        let isRead = try? body.forEachPiece(from: offset, count: count) { piece in
            hash.update(piece)
            digest?.update(piece)
            return true
        }
        guard isRead == true else { return false }
        self.hash = hash
        offset += count
        return offset < stored.length ? nil : hash.value == stored.hash
    }

    /// The digest of the whole body; nil when none was requested.
    func finishDigest() -> [UInt8]? { digest?.finish() }
}
