internal import TransferModel

/// Decides the requests of one resumable upload (draft-ietf-httpbis-resumable-upload): a value without I/O.
///
/// The first request brings the whole body. When it was cut and the server has given the upload a URL, that is asked how much
/// it has, each time before more is sent: some servers give an upload up that is gone on with at another position.
struct UploadMachine: Equatable {
    /// The request that is under way; legal next ones stand behind each.
    enum Leg: Hashable {
        /// The task's own, with the whole body. Next: `creation`, `offset`, `over`.
        case creation
        /// Asks how much the server has (HEAD). Next: `append`, `creation`, `cancellation`, `over`.
        case offset
        /// Brings what stands between two positions (PATCH). Next: `offset`, `over`.
        case append(from: Int64, to: Int64)
        /// Gives the upload up (DELETE). Next: `creation`, `over`.
        case cancellation(Fault?)
        /// Nothing about the protocol any more.
        case over
    }

    /// What follows a response.
    enum Step: Equatable {
        /// It is the answer to the task, or about something else than the upload.
        case judge
        /// The request of the leg that the machine is in now.
        case proceed
        /// All was there before: its answer is lost.
        case answerLost
        case fail(Fault)
    }

    /// What a server may not do.
    enum Fault: Hashable {
        /// It wants more, and has not said where to.
        case noURL
        /// It has not said how much it has.
        case noOffset
        /// It has less than before, more than there is, or calls complete what is not.
        case wrongOffset(Int64)
        /// What it is sent does not get it any further.
        case noProgress
        /// It does not know the upload any more, and may have had all of it.
        case forgotten(status: Int)
        /// It does not say how much it has for another reason.
        case refused(status: Int)
    }

    /// The shortest part that a server is offered that finds longer ones too long, bytes: each part is a record of its own.
    static let shortestPart: Int64 = 64 << 10

    private(set) var leg: Leg
    /// Bytes of the whole body.
    let total: Int64
    private(set) var version: UploadVersion
    /// nil until the server has named it.
    private(set) var url: HTTPURL?
    /// How much the server has had at least.
    private(set) var confirmed: Int64 = 0
    /// Whether the last byte may have arrived.
    private(set) var mayBeComplete = false
    /// The status that has answered when all was sent; a 5xx is then not the lost answer's.
    private(set) var lateStatus: Int?
    /// The most bytes that a request may bring; nil for any number.
    private(set) var longestPart: Int64?
    /// Whether the request may reach the server's application a second time.
    private let isRepeatable: Bool
    /// How many answers in a row have not shown more than the one before.
    private var fruitless = 0
    private var hasNegotiated = false
    private var hasRestarted = false

    /// Begins an upload.
    ///
    /// - Parameters:
    ///   - total: Bytes of the whole body.
    ///   - version: What the server is asked with.
    ///   - isRepeatable: Whether it may begin anew when its outcome is not known.
    init(total: Int64, version: UploadVersion, isRepeatable: Bool) {
        leg = .creation
        self.total = total
        self.version = version
        self.isRepeatable = isRepeatable
    }

    /// Goes on with what an earlier attempt has left; with another body it is given up.
    ///
    /// - Parameters:
    ///   - partial: It.
    ///   - total: Bytes of the whole body now.
    ///   - isSameBody: Whether request and body are what they were.
    ///   - isRepeatable: Whether it may begin anew when its outcome is not known.
    init(resuming partial: PartialUpload, of total: Int64, isSameBody: Bool, isRepeatable: Bool) {
        leg = isSameBody ? .offset : .cancellation(nil)
        self.total = total
        version = partial.version
        url = partial.url
        confirmed = partial.confirmed
        // Of another body no byte has arrived.
        mayBeComplete = isSameBody && partial.mayBeComplete
        lateStatus = partial.lateStatus
        longestPart = partial.longestPart
        self.isRepeatable = isRepeatable
    }

    /// The fields that the running request has besides the task's own.
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

    /// Whether the running request ends with the last byte.
    var bringsEnd: Bool {
        switch leg {
        case .creation: true
        case .append(_, let end): end == total
        case .offset, .cancellation, .over: false
        }
    }

    // MARK: Events

    /// A 104 has come; true when it has given the upload its URL.
    mutating func didInform(_ head: HeaderFields, from request: HTTPURL) -> Bool {
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

    /// The running request has left as a whole.
    mutating func didSendAll() {
        if bringsEnd { mayBeComplete = true }
    }

    /// The same request follows with something else in it, or to another URL: what came of it is void.
    mutating func willRepeat() {
        if leg == .creation { url = nil }
    }

    /// The rest of the attempt is not about the upload.
    mutating func leave() {
        leg = .over
        url = nil
    }

    /// Nothing came of giving the upload up, or all of it; what follows is the same.
    mutating func didCancel() -> Step {
        guard case .cancellation(let fault) = leg else { return .judge }
        url = nil
        if let fault {
            leg = .over
            return .fail(fault)
        }
        create()
        return .proceed
    }

    /// The head of a final response is there.
    ///
    /// - Parameters:
    ///   - head: It.
    ///   - request: The URL that it came from.
    ///   - isSent: Whether the whole request has left.
    /// - Returns: What follows; the leg is then that of the next request.
    mutating func didAnswer(_ head: ResponseHead, from request: HTTPURL, isSent: Bool) -> Step {
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
        from request: HTTPURL,
        isSent: Bool
    ) -> Step {
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
            // It has refused the version, not the request.
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

    private mutating func didTellOffset(_ status: Int, _ fields: UploadFields) -> Step {
        switch status {
        case 200...299: break
        case 307, 308: return .judge
        case 401, 403, 408, 425, 429, 500...599: return .fail(.refused(status: status))
        case 400...499:
            guard isRepeatable || !mayBeComplete, !hasRestarted else {
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
        guard offset >= confirmed, offset <= total, !isComplete || offset == total else {
            leg = .cancellation(.wrongOffset(offset))
            return .proceed
        }
        if offset > confirmed { fruitless = 0 }
        confirmed = offset
        if isComplete {
            leave()
            return .answerLost
        }
        guard fruitless < 2 else {
            leg = .cancellation(.noProgress)
            return .proceed
        }
        fruitless += 1
        leg = .append(from: offset, to: min(total, offset + min(longestPart ?? total, total)))
        return .proceed
    }

    private mutating func didAppend(
        _ status: Int,
        _ fields: UploadFields,
        _ part: Range<Int64>,
        isSent: Bool
    ) -> Step {
        let isLast = part.upperBound == total
        switch status {
        case 200...299 where fields.isComplete ?? isLast:
            // The offset of the third version's answer is that of the end (draft 01 §5).
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

    /// A response that is judged: what is the answer ends the upload, what may pass leaves it as it is.
    private mutating func end(_ status: Int, _ fields: UploadFields, isSent: Bool) -> Step {
        let isPassing = Self.mayPass(status) && fields.isComplete != true
        guard isPassing || (300...399).contains(status) else {
            // A success whose body is still on its way may be lost yet.
            if status >= 400 { leave() }
            return .judge
        }
        if isPassing, isSent, bringsEnd { lateStatus = status }
        return .judge
    }

    /// Whether another attempt may meet another answer.
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
        fruitless = 0
    }

    private mutating func note(_ fields: UploadFields) {
        if let size = fields.maximumAppendSize { longestPart = max(size, Self.shortestPart) }
    }

    /// Whether parts shorter than one that was too long may do.
    private mutating func shorten(_ length: Int64) -> Bool {
        fruitless = 0
        guard length > Self.shortestPart else { return false }
        // What the server has said of it is noted; else half of it may do.
        let isTold = longestPart.map { $0 < length } ?? false
        if !isTold { longestPart = max(Self.shortestPart, length / 2) }
        return true
    }

    /// Where a response says that the upload is; only where the request went, too: nobody else gets its body.
    private static func url(in head: HeaderFields, from request: HTTPURL) -> HTTPURL? {
        let locations = Set(head.values(of: "location"))
        guard locations.count == 1, let location = locations.first,
            let url = request.resolving(location), url.origin == request.origin,
            !url.hasUserInformation
        else { return nil }
        return url
    }
}
