internal import TransferModel

/// The resumable upload that an attempt begins or goes on with.
///
/// A class of its own, because only attempts with a large body have one.
final class ActiveUpload {
    /// How long a server has to answer that an upload is given up.
    static let cancellationLimit = Duration.seconds(5)

    /// The task's own request.
    let request: RequestSpec
    /// The task's id.
    let id: String
    /// Whether later runs are to find it.
    let isKept: Bool
    let boundary: String?
    /// What the digest of request and body begins with.
    let salt: String
    let creationDate: Timestamp
    var machine: UploadMachine
    /// What follows the response that is there.
    var step = UploadMachine.Step.judge
    /// Whether the running request gives the upload up.
    private(set) var isGivingUp = false
    /// The digests of request and body, and of what they are an order of; nil until they are
    /// needed.
    var digests: UploadDigests?
    /// Whether anybody may ask the server for it.
    let isPlain: Bool
    /// Whether a record of it is kept.
    var isStored: Bool
    /// The position from which on this attempt has sent the body; nil when it was from its first
    /// byte, or nothing was sent.
    var resumedFrom: Int64?
    /// The position up to which the body has been sent; nil when nothing was.
    var sentEnd: Int64?
    /// What was left of an upload that is not gone on with: it stays what it is until the server
    /// has decided about it.
    private let other: PartialUpload?

    /// An upload that begins.
    init(
        _ wanted: AttemptRequest.Upload,
        _ request: RequestSpec,
        boundary: String?,
        machine: UploadMachine,
        isPlain: Bool,
        creationDate: Timestamp
    ) {
        self.request = request
        id = wanted.id
        isKept = wanted.isKept
        self.boundary = boundary
        self.machine = machine
        self.isPlain = isPlain
        self.creationDate = creationDate
        salt = PartialRecord.makeSalt()
        isStored = false
        other = nil
    }

    /// One that was begun before.
    init(
        _ wanted: AttemptRequest.Upload,
        _ request: RequestSpec,
        resuming partial: PartialUpload,
        digests: UploadDigests,
        machine: UploadMachine,
        isPlain: Bool
    ) {
        self.request = request
        id = wanted.id
        isKept = wanted.isKept
        boundary = partial.boundary
        self.machine = machine
        creationDate = partial.creationDate
        salt = partial.salt
        self.digests = digests
        self.isPlain = isPlain
        isStored = partial.isKept
        other = digests.match(partial) == .upload ? nil : partial
    }

    /// Another leg begins.
    ///
    /// - Returns: Whether the leg has other time limits than the one before.
    func beginLeg() -> Bool {
        let wasGivingUp = isGivingUp
        isGivingUp = if case .cancellation = machine.leg { true } else { false }
        return isGivingUp != wasGivingUp
    }

    /// Whether the running request goes to the upload's own URL, which nobody else is to know.
    var isAtOwnURL: Bool {
        switch machine.leg {
        case .offset, .append, .cancellation: true
        case .creation, .over: false
        }
    }

    /// What of the body the running request carries; nil for none.
    var part: Range<Int64>? {
        switch machine.leg {
        case .creation, .over: 0..<machine.total
        case .append(let start, let end): start..<end
        case .offset, .cancellation: nil
        }
    }

    /// The request of the leg that the upload is in, but for what the protocol adds.
    ///
    /// To the upload's own URL go the task's fields, but for those that are about its body or its
    /// order.
    func request(at url: HTTPURL) -> RequestSpec {
        let method: String
        switch machine.leg {
        case .creation, .over: return request
        case .offset: method = "HEAD"
        case .append: method = "PATCH"
        case .cancellation: method = "DELETE"
        }
        let fields = request.headers.filter { field in
            let name = field.name.lowercased()
            return !name.hasPrefix("content-") && !name.hasPrefix("if-")
                && !Self.ownNames.contains(name)
        }
        return RequestSpec(method: method, url: url, headers: fields)
    }

    /// Names of fields that are about the whole body, or the order that it is.
    private static let ownNames: Set<String> = [
        "digest", "expect", "idempotency-key", "range", "repr-digest",
    ]

    /// What another attempt can go on with; nil without a URL.
    var partial: PartialUpload? {
        guard let url = machine.url, let digests else { return nil }
        // With the digests of this request its bytes would be taken for this request's.
        if let other, other.url == url { return other }
        return PartialUpload(
            url: url,
            version: machine.version,
            digest: digests.request,
            salt: salt,
            order: digests.order,
            isPlain: isPlain,
            isRepeatable: machine.isRepeatable,
            boundary: boundary,
            total: machine.total,
            confirmed: machine.confirmed,
            mayBeComplete: machine.mayBeComplete,
            farthest: machine.farthest,
            lateStatus: machine.lateStatus,
            longestPart: machine.longestPart,
            creationDate: creationDate,
            isKept: isStored
        )
    }
}

/// What tells one upload from another, each with the same salt.
struct UploadDigests {
    /// The request, who sends it, and its body.
    var request: String
    /// Method, URL and body, as far as they tell of an order: a file's size and beginning, not its
    /// times.
    var order: String

    /// What a record has in common with it.
    func match(_ partial: PartialUpload) -> UploadMachine.Match {
        if request == partial.digest { return .upload }
        return order == partial.order ? .order : .nothing
    }
}
