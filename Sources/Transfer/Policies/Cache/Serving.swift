internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// A stored response that answers if its body is available and intact.
struct Serving {
    /// Why the stored response is used, which decides the step when it cannot answer.
    enum Occasion {
        /// The lookup found it without a request; `refreshes` when it must be refreshed afterwards.
        case lookup(refreshes: Bool)
        /// The origin has just confirmed it.
        case confirmation
        /// The origin failed; nil when it did so by its response.
        case failure(TransferFailure?)
    }

    let response: StoredResponse
    /// The verdict for the report.
    let verdict: CacheVerdict
    let occasion: Occasion
    /// The current time, for its age; nil for a response validated just now.
    var now: Timestamp?

    /// A long body that is read in steps, so that other attempts run in between.
    enum Reading {
        case checking(Serving, StoredBodyCheck)
        case handingOn(StoredBody, from: Int64, to: Int64)
    }

    /// The step after reading a piece of a stored body.
    enum Step {
        /// There is more to read when other attempts have had their turn.
        case more
        /// The body is intact; nil for a response without one.
        case deliver(Serving, StoredBody?)
        /// A piece of the body goes to the task.
        case handOn(StoredBody, from: Int64, to: Int64, isLast: Bool)
        /// The body is missing or damaged.
        case giveUp(Serving)
    }
}

extension Serving {
    /// Answers with a stale response, because the origin failed.
    init(_ stored: StoredResponse, after failure: TransferFailure?, now: Timestamp) {
        self.init(
            response: stored,
            verdict: CacheVerdict(.stale, .staleIfError),
            occasion: .failure(failure),
            now: now
        )
    }
}

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
