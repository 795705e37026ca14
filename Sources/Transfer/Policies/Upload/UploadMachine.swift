internal import TransferModel

/// Decides the requests of one resumable upload (draft-ietf-httpbis-resumable-upload): a value
/// without I/O.
///
/// The first request carries the whole body. After an interruption the machine asks the upload's
/// URL for the server's offset each time before it sends more: some servers cancel an upload that
/// is resumed at another offset.
struct UploadMachine: Equatable {
    /// The shortest part for a server that finds longer ones too long, bytes: each part is an
    /// exchange of its own.
    static let shortestPart: Int64 = 64 << 10
    /// The bytes, or the hundredth of the body, by which the offset must increase to count as
    /// progress.
    private static let leastProgress: Int64 = 1 << 20
    /// The most consecutive small steps: the first one, and each without an increase, counts as
    /// eight.
    private static let mostSmallSteps = 16

    private(set) var leg: Leg
    /// The length of the whole body, bytes.
    let total: Int64
    private(set) var version: UploadVersion
    /// nil until the server has given it.
    private(set) var url: TransferURL?
    /// The bytes that the server certainly has.
    private(set) var confirmed: Int64 = 0
    /// Whether the last byte may have arrived.
    private(set) var mayBeComplete = false
    /// The status of a response after the whole body was sent; it counts as the answer if the
    /// upload proves complete.
    private(set) var lateStatus: Int?
    /// The offset up to which bytes may have left; the server cannot have more.
    private(set) var farthest: Int64 = 0
    /// The most bytes that the server announces for one request; nil for any number.
    private var limit: Int64?
    /// The most bytes of a request after the server found a longer one too long; nil before that.
    private var ceiling: Int64?
    /// Whether the request may reach the server's application a second time.
    let isRepeatable: Bool
    /// An earlier upload that is not resumed, only asked about.
    private var other: Other?
    /// The number of small steps since `progressMark`.
    private var smallSteps = 0
    /// The offset at the last progress.
    private var progressMark: Int64 = 0
    private var hasNegotiated = false
    private var hasRestarted = false

    /// Begins an upload.
    ///
    /// - Parameters:
    ///   - total: The length of the whole body, bytes.
    ///   - version: The version of the first request.
    ///   - isRepeatable: Whether the order may be sent again when its outcome is unknown.
    init(total: Int64, version: UploadVersion, isRepeatable: Bool) {
        leg = .creation
        self.total = total
        self.version = version
        self.isRepeatable = isRepeatable
    }

    /// Resumes the upload of an earlier attempt, or cancels it.
    ///
    /// For an order that must not be repeated, the machine first asks the server: a completed order
    /// is not sent again.
    ///
    /// - Parameters:
    ///   - partial: The earlier upload.
    ///   - total: The present length of the whole body, bytes.
    ///   - match: The properties that both uploads share.
    ///   - isRepeatable: Whether the order may be sent again when its outcome is unknown.
    init(resuming partial: PartialUpload, of total: Int64, match: Match, isRepeatable: Bool) {
        self.total = total
        version = partial.version
        url = partial.url
        self.isRepeatable = isRepeatable
        guard match == .upload else {
            if !isRepeatable { other = Other(match: match, total: partial.total) }
            leg = isRepeatable ? .cancellation(nil) : .offset
            return
        }
        leg = .offset
        confirmed = partial.confirmed
        progressMark = partial.confirmed
        mayBeComplete = partial.mayBeComplete
        farthest = partial.farthest
        lateStatus = partial.lateStatus
        ceiling = partial.longestPart
    }

    /// The most bytes of one request; nil for any number.
    var longestPart: Int64? { [limit, ceiling].compactMap(\.self).min() }

    /// The fields of the running request besides the task's own.
    var fields: [HeaderField] {
        switch leg {
        case .creation:
            UploadFields.sending(version, from: nil, isLast: true, total: total)
        case .append(let start, let end):
            UploadFields.sending(version, from: start, isLast: end == total, total: total)
        case .offset, .cancellation:
            [HeaderField(name: UploadFields.versionName, value: "\(version.rawValue)")]
        case .over: []
        }
    }

    /// Whether the running request carries the last byte.
    var bringsEnd: Bool {
        switch leg {
        case .creation: true
        case .append(_, let end): end == total
        case .offset, .cancellation, .over: false
        }
    }

    // MARK: Events

    /// Takes a 104; true when it gave the upload its URL.
    mutating func didInform(_ head: HeaderFields, from request: TransferURL) -> Bool {
        let fields = UploadFields(head)
        note(fields)
        if let offset = fields.offset, offset <= total, url != nil {
            confirmed = max(confirmed, offset)
        }
        guard leg == .creation, url == nil, fields.version.flatMap(UploadVersion.init) == version
        else { return false }
        url = Self.url(in: head, from: request)
        return url != nil
    }

    /// Notes that bytes of the body may have left up to an offset.
    mutating func didSend(upTo position: Int64) {
        farthest = max(farthest, min(position, total))
        if bringsEnd, position >= total { mayBeComplete = true }
    }

    /// Notes that the request is sent again with other content or to another URL, so that its
    /// upload URL is void.
    mutating func willRepeat() {
        if leg == .creation { url = nil }
    }

    /// Notes that the rest of the attempt does not use the protocol.
    mutating func leave() {
        leg = .over
        url = nil
    }

    /// Takes the end of a cancellation; the step does not depend on its success.
    mutating func didCancel() -> UploadStep {
        guard case .cancellation(let fault) = leg else { return .judge }
        url = nil
        if let fault {
            leg = .over
            return .fail(fault)
        }
        create()
        return .proceed
    }

    /// Takes the head of a final response.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - request: The URL of the request.
    ///   - isSent: Whether the whole request has left.
    /// - Returns: The next step; the leg then belongs to the next request.
    mutating func didAnswer(
        _ head: ResponseHead,
        from request: TransferURL,
        isSent: Bool
    ) -> UploadStep {
        let fields = UploadFields(head.fields)
        note(fields)
        switch leg {
        case .creation:
            return didCreate(head, fields, from: request, isSent: isSent)
        case .offset: return didTellOffset(head.statusCode, fields)
        case .append(let start, let end):
            return didAppend(head.statusCode, fields, start..<end, isSent: isSent)
        case .cancellation: return .proceed
        case .over: return .judge
        }
    }

    private mutating func didCreate(
        _ head: ResponseHead,
        _ fields: UploadFields,
        from request: TransferURL,
        isSent: Bool
    ) -> UploadStep {
        switch head.statusCode {
        case 200...299 where fields.isComplete == false:
            if url == nil, fields.version.flatMap(UploadVersion.init) == version {
                url = Self.url(in: head.fields, from: request)
            }
            guard url != nil else { return .fail(.noURL) }
            leg = .offset
            return .proceed
        case 400
        where url == nil && fields.version != nil && fields.version != "\(version.rawValue)":
            // The server refused the version, not the request.
            if !hasNegotiated, let other = fields.version.flatMap(UploadVersion.init) {
                hasNegotiated = true
                version = other
            } else {
                leg = .over
            }
            return .proceed
        case 413 where url != nil && shorten(total):
            leg = .offset
            return .proceed
        default:
            return end(head.statusCode, fields, isSent: isSent)
        }
    }

    private mutating func didTellOffset(_ status: Int, _ fields: UploadFields) -> UploadStep {
        if let other, ![307, 308].contains(status) { return didTell(of: other, status, fields) }
        switch status {
        case 200...299: break
        case 307, 308: return .judge
        case 401, 408, 425, 429, 500...599: return .fail(.refused(status: status))
        // Some servers send 403 also for an unknown upload.
        case 403 where !mayRestart: return .fail(.refused(status: status))
        case 400...499:
            guard mayRestart else {
                leave()
                return .fail(.forgotten(status: status))
            }
            hasRestarted = true
            create()
            return .proceed
        default: return .fail(.refused(status: status))
        }
        guard let offset = fields.offset ?? (fields.isComplete == true ? total : nil) else {
            leg = .cancellation(.noOffset)
            return .proceed
        }
        let isComplete = fields.isComplete == true
        guard offset >= confirmed, offset <= farthest, !isComplete || offset == total else {
            leg = .cancellation(.wrongOffset(offset))
            return .proceed
        }
        let isFurther = offset > confirmed
        confirmed = offset
        if isComplete {
            leave()
            return .answerLost
        }
        if offset < total {
            // The earlier response did not concern the whole body.
            mayBeComplete = false
            lateStatus = nil
        }
        let enough = min(longestPart ?? total, Self.leastProgress, max(1, total / 100))
        if offset - progressMark >= enough { (progressMark, smallSteps) = (offset, 0) }
        guard smallSteps < Self.mostSmallSteps else {
            leg = .cancellation(.noProgress)
            return .proceed
        }
        smallSteps += isFurther && offset != progressMark ? 1 : 8
        leg = .append(from: offset, to: min(total, offset + min(longestPart ?? total, total)))
        return .proceed
    }

    /// Decides about an earlier upload that is not resumed: without its last byte it is no order,
    /// and is cancelled.
    private mutating func didTell(
        of other: Other,
        _ status: Int,
        _ fields: UploadFields
    ) -> UploadStep {
        let isTold = (200...299).contains(status)
        if isTold, fields.isComplete != true, let offset = fields.offset, offset < other.total {
            self.other = nil
            leg = .cancellation(nil)
            return .proceed
        }
        let isForgotten =
            (400...499).contains(status) && ![401, 403].contains(status) && !Self.mayPass(status)
        guard other.match == .order else {
            guard isTold && (fields.isComplete == true || fields.offset != nil) || isForgotten
            else {
                leave()
                return .sendPlainly
            }
            // The server will not report anything more about the earlier upload.
            self.other = nil
            create()
            return .proceed
        }
        guard isTold || isForgotten else { return .fail(.refused(status: status)) }
        leave()
        return .fail(isTold ? .hasOther : .forgotten(status: status))
    }

    /// Whether the body may be sent again from its first byte.
    private var mayRestart: Bool { (isRepeatable || !mayBeComplete) && !hasRestarted }

    private mutating func didAppend(
        _ status: Int,
        _ fields: UploadFields,
        _ part: Range<Int64>,
        isSent: Bool
    ) -> UploadStep {
        let isLast = part.upperBound == total
        switch status {
        case 200...299 where fields.isComplete ?? isLast:
            // A response of the third version gives the offset of the end (draft 01 §5).
            let offset = version == .v3 ? fields.offset ?? total : total
            guard isLast, offset == total else {
                leg = .cancellation(.wrongOffset(offset))
                return .proceed
            }
            return end(status, fields, isSent: isSent)
        case 200...299, 409: break
        case 413 where shorten(Int64(part.count)): break
        default: return end(status, fields, isSent: isSent)
        }
        leg = .offset
        return .proceed
    }

    /// Judges a response as the answer: a final answer ends the upload, a temporary failure leaves
    /// it unchanged.
    private mutating func end(_ status: Int, _ fields: UploadFields, isSent: Bool) -> UploadStep {
        let isPassing = Self.mayPass(status) && fields.isComplete != true
        guard isPassing || (300...399).contains(status) else {
            // A success may still be lost while its body is under way.
            if status >= 400 { leave() }
            return .judge
        }
        if isPassing, isSent, bringsEnd { lateStatus = status }
        return .judge
    }

    /// Whether another attempt may get another response.
    static func mayPass(_ status: Int) -> Bool {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504, 522, 524: true
        default: false
        }
    }

    // MARK: Parts

    private mutating func create() {
        leg = .creation
        url = nil
        confirmed = 0
        mayBeComplete = false
        lateStatus = nil
        farthest = 0
        (progressMark, smallSteps) = (0, 0)
    }

    private mutating func note(_ fields: UploadFields) {
        if let size = fields.maximumAppendSize { limit = max(size, Self.shortestPart) }
    }

    /// Shortens the parts after one that was too long: to the server's limit, otherwise to half;
    /// false when they cannot be shorter.
    private mutating func shorten(_ length: Int64) -> Bool {
        guard length > Self.shortestPart else { return false }
        let told = limit.flatMap { $0 < length ? $0 : nil }
        let next = told ?? max(Self.shortestPart, length / 2)
        ceiling = next
        // A limit that falls by one byte each time is no progress.
        if next <= length / 2 { smallSteps = 0 }
        return true
    }

    /// The upload's URL in a response; only at the origin of the request, because no other origin
    /// may get the body.
    private static func url(in head: HeaderFields, from request: TransferURL) -> TransferURL? {
        let locations = Set(head.values(of: "location"))
        guard locations.count == 1, let location = locations.first,
            let url = request.resolving(location), url.origin == request.origin,
            !url.hasUserInformation
        else { return nil }
        return url
    }
}

// The states, steps and faults of `UploadMachine`.
extension UploadMachine {
    /// The running request; each case lists its legal successors.
    enum Leg: Hashable {
        /// The task's own request with the whole body. Next: `creation`, `offset`, `over`.
        case creation
        /// Asks for the server's offset (HEAD). Next: `append`, `creation`, `cancellation`, `over`.
        case offset
        /// Sends the bytes between two offsets (PATCH). Next: `offset`, `over`.
        case append(from: Int64, to: Int64)
        /// Cancels the upload (DELETE). Next: `creation`, `over`.
        case cancellation(UploadFault?)
        /// The rest of the attempt does not use the protocol.
        case over
    }

    /// The properties that an earlier upload shares with the wanted one.
    enum Match {
        /// Everything.
        case upload
        /// Method, URL and body, as far as these can be compared; not the fields, the credentials
        /// or the times of files.
        case order
        case nothing
    }

    /// An earlier upload that is not resumed: the server is asked about it before it is cancelled.
    struct Other: Equatable {
        let match: Match
        let total: Int64
    }
}

/// The step of an upload after a response.
enum UploadStep: Equatable {
    /// The response answers the task, or does not concern the upload.
    case judge
    /// Send the request of the machine's new leg.
    case proceed
    /// The server already had the whole body; its answer is lost.
    case answerLost
    /// The earlier upload belongs to another order, and the server does not report its outcome:
    /// send this order without the protocol.
    case sendPlainly
    case fail(UploadFault)
}

/// A violation of the protocol of resumable uploads by a server.
enum UploadFault: Hashable {
    /// The server wants more of the body but has given no URL.
    case noURL
    /// The server has not given its offset.
    case noOffset
    /// The offset is less than before, more than was sent, or contradicts `Upload-Complete`.
    case wrongOffset(Int64)
    /// Further requests do not increase the offset.
    case noProgress
    /// The server no longer knows the upload, and may have had the whole body.
    case forgotten(status: Int)
    /// The server has the whole body of an order with other fields, credentials or file times.
    case hasOther
    /// The server refuses to give its offset for another reason.
    case refused(status: Int)
}
