internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// Holds a long body against what was stored of it, a step at a time.
struct StoredBodyCheck {
    /// How much is read in one go, bytes; a body that is no longer is read at once.
    static let step: Int64 = 1 << 20

    let body: StoredBody
    /// The file that is there already; nil for a body that is stored.
    let copy: InputFile?
    private let stored: StoredResponse.Body
    private let digest: MessageDigest?
    private var hash = ContentHash()
    private var offset: Int64 = 0

    /// The check of a stored body.
    init(of body: StoredBody, _ stored: StoredResponse.Body) {
        self.body = body
        self.stored = stored
        copy = nil
        digest = nil
    }

    /// The check of a file that is there already and as long as the body.
    ///
    /// - Parameters:
    ///   - copy: The file.
    ///   - stored: The body.
    ///   - algorithm: Of a digest that is wanted of it, too.
    init(of copy: InputFile, _ stored: StoredResponse.Body, _ algorithm: Checksum.Algorithm?) {
        body = .file(copy)
        self.stored = stored
        self.copy = copy
        digest = algorithm.flatMap { MessageDigest($0.family) }
    }

    /// Reads on.
    ///
    /// - Returns: Whether the body is what it was when it was stored; nil when there is more to be
    ///   read.
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

    /// The digest of what was read, once that is all; nil when none was wanted.
    func finishDigest() -> [UInt8]? { digest?.finish() }
}
