internal import TransferModel

/// The resumable upload that an attempt begins or resumes: `UploadMachine`'s decisions, and the
/// record for later attempts.
///
/// A class, because only attempts with a large body have one.
final class ActiveUpload {
    /// How long a server has to answer that an upload is given up.
    static let cancellationLimit = Duration.seconds(5)
    /// What libcurl hands over at once, bytes: TLS tells of none of them before all have left.
    private static let sendBufferSize: Int64 = 2 << 20

    /// The meaning of a final response for the upload.
    enum Judgement: Equatable {
        /// The response is judged as any other; it may be the answer to the whole order.
        case usual(answersOrder: Bool)
        case redirect
        /// The body is not wanted: `next` says what follows.
        case passOver
    }

    /// What follows a response that was passed over, or the end of the upload.
    enum Next {
        case finish
        case fail(UploadMachine.Fault)
        /// The server had the whole body before, and its answer was lost.
        case finishWithoutAnswer
        /// The request of the machine's leg.
        case leg
        /// The same request, because the server has refused its version; `isOver` when it refused
        /// the last one.
        case again(isOver: Bool)
    }

    let start: UploadStart
    /// The salt of the digests.
    private let salt: String
    private let boundary: String?
    private let creationDate: Timestamp
    var machine: UploadMachine
    /// What follows the response that is there.
    private(set) var step = UploadMachine.Step.judge
    /// Whether the running request gives the upload up.
    private(set) var isGivingUp = false
    /// nil until they are needed.
    private var digests: UploadDigests?
    /// Whether a record of it is kept.
    private var isStored: Bool
    /// The position from which on this attempt has sent the body; nil when it was from its first
    /// byte, or nothing was sent.
    private(set) var resumedFrom: Int64?
    /// The position up to which the body has been sent; nil when nothing was.
    private(set) var sentEnd: Int64?
    /// What was left of an upload that is not gone on with: it stays what it is until the server
    /// has decided about it.
    private let other: PartialUpload?

    /// An upload that begins.
    init(_ start: UploadStart, machine: UploadMachine) {
        self.start = start
        self.machine = machine
        boundary = start.boundary
        creationDate = start.now
        salt = PartialRecord.makeSalt()
        isStored = false
        other = nil
    }

    /// One that was begun before.
    init(
        _ start: UploadStart,
        resuming partial: PartialUpload,
        digests: UploadDigests,
        machine: UploadMachine
    ) {
        self.start = start
        self.machine = machine
        boundary = partial.boundary
        creationDate = partial.creationDate
        salt = partial.salt
        self.digests = digests
        isStored = partial.isKept
        other = digests.match(partial) == .upload ? nil : partial
    }

    // MARK: - Legs

    /// Another leg begins.
    ///
    /// - Returns: Whether the leg has other time limits than the one before.
    func beginLeg() -> Bool {
        if case .append(let start, _) = machine.leg, start > 0, sentEnd == nil {
            resumedFrom = start
        }
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
        case .creation, .over: return start.request
        case .offset: method = "HEAD"
        case .append: method = "PATCH"
        case .cancellation: method = "DELETE"
        }
        let fields = start.request.headers.filter { field in
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

    /// The URL of the machine's leg: the rest goes where the last request was redirected.
    func url(after hop: HTTPURL) -> HTTPURL {
        if case .append = machine.leg { hop } else { machine.url ?? hop }
    }

    /// Why the leg's request is sent.
    var reason: TransactionMetrics.Reason {
        switch machine.leg {
        case .offset: .uploadOffset
        case .append: .uploadAppend
        case .cancellation: .uploadCancel
        case .creation, .over: .restart
        }
    }

    /// The part of a body in memory that the running request brings; nil when it brings all.
    func appended(of bytes: [UInt8]) -> [UInt8]? {
        guard case .append(let start, let end) = machine.leg else { return nil }
        let part = Int(clamping: start)..<Int(clamping: end)
        return Array(bytes[part.clamped(to: bytes.indices)])
    }

    /// The position of the body at which the running request begins.
    var offset: Int64 { part?.lowerBound ?? machine.confirmed }

    // MARK: - Events

    /// Takes a 104, which may name the upload's URL; that is recorded at once.
    func didInform(_ head: ResponseHead, from url: HTTPURL, _ support: inout UploadSupport) {
        guard machine.didInform(head.fields, from: url) else {
            // Another version than that of the request does not count, but the next request uses
            // it.
            if machine.url == nil,
                let version = UploadFields(head.fields).version.flatMap(UploadVersion.init),
                version != machine.version
            {
                support.note(version, at: url.origin)
            }
            return
        }
        support.note(machine.version, at: url.origin)
        keep()
    }

    /// Notes how much of the body has left with the running request, as far as libcurl tells:
    /// TLS and proxies buffer more.
    func didSend(_ count: Int64, isRequestSent: Bool, isBuffered: Bool) {
        guard let part else { return }
        let count = min(count, part.upperBound - part.lowerBound)
        if count > 0 { sentEnd = part.lowerBound + count }
        let unseen = isBuffered ? Self.sendBufferSize : 0
        machine.didSend(
            upTo: isRequestSent
                ? part.upperBound : min(part.upperBound, part.lowerBound + count + unseen)
        )
    }

    /// Judges the head of a final response.
    func judge(
        _ head: ResponseHead,
        from url: HTTPURL,
        isSent: Bool,
        mayFollow: Bool
    ) -> Judgement {
        let leg = machine.leg
        step = machine.didAnswer(head, from: url, isSent: isSent)
        guard step == .judge else {
            if case .append = machine.leg, isStored { keep() }
            return .passOver
        }
        guard leg == .offset else {
            if case .append = leg { return .usual(answersOrder: true) }
            return .usual(answersOrder: false)
        }
        if mayFollow, head.fields["location"] != nil { return .redirect }
        step = .fail(.refused(status: head.statusCode))
        return .passOver
    }

    /// Takes the end of the request that has given the upload up, whatever its response.
    func didCancel() {
        step = machine.didCancel()
        if step == .proceed { forget() }
    }

    /// What follows an exchange with `method`.
    func next(after method: String) -> Next {
        switch step {
        case .judge: return .finish
        case .fail(let fault): return .fail(fault)
        case .answerLost: return .finishWithoutAnswer
        case .sendPlainly:
            // The record is that of the other order.
            isStored = false
            return .leg
        case .proceed:
            let isOver = machine.leg == .over
            guard isOver || machine.leg == .creation, method == start.request.method else {
                return .leg
            }
            if isOver { forget() }
            return .again(isOver: isOver)
        }
    }

    /// The failure of an upload whose answer was lost; nil where a success is all that the task
    /// expects.
    func failureWithoutAnswer(expectsNothing: Bool) -> TransferFailure? {
        if let status = machine.lateStatus {
            return ResponseVerdict.statusFailure(
                ResponseHead(statusCode: status, fields: HeaderFields())
            )
        }
        return expectsNothing
            ? nil
            : ExchangeStage.truncated("the upload is complete, but the answer to it was lost")
    }

    // MARK: - The record

    /// What of the upload is left for another attempt, or for another run; `support` takes a
    /// version to which the server said nothing.
    func outcome(
        after failure: TransferFailure?,
        _ head: ResponseHead?,
        from origin: Origin,
        _ support: inout UploadSupport
    ) -> UploadOutcome {
        // An upload that has come far enough for a 104.
        let isAccepted = head.map { (200...299).contains($0.statusCode) } ?? false
        if machine.url == nil, resumedFrom == nil,
            isAccepted || sentEnd ?? 0 >= Self.sendBufferSize
        {
            support.noteSilence(to: machine.version, at: origin)
        }
        var outcome = UploadOutcome(partial: nil, resumedFrom: resumedFrom, sentEnd: sentEnd)
        if failure?.leavesUpload == true, machine.url != nil {
            keep()
            // Only the record keeps the order from being sent twice.
            let isNeeded = machine.mayBeComplete && !machine.isRepeatable
            if isStored, isNeeded { isStored = start.keeper.isWritten(start.wanted.id) }
            outcome.partial = partial
        } else {
            forget()
        }
        return outcome
    }

    private func keep() {
        if digests == nil { digests = start.source.digests(salt) }
        guard start.wanted.isKept, let partial else { return }
        isStored = start.keeper.keep(partial, of: start.wanted.id)
    }

    private func forget() {
        guard isStored else { return }
        start.keeper.forgetUpload(of: start.wanted.id)
        isStored = false
    }

    /// What another attempt can go on with; nil without a URL.
    private var partial: PartialUpload? {
        guard let url = machine.url, let digests else { return nil }
        // With the digests of this request its bytes would be taken for this request's.
        if let other, other.url == url { return other }
        return PartialUpload(
            url: url,
            version: machine.version,
            digest: digests.request,
            salt: salt,
            order: digests.order,
            isPlain: start.isPlain,
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
    // MARK: - Reports

    /// The URL of the running request as a report has it: whoever knows that of an upload may add
    /// to it.
    func reported(_ url: HTTPURL) -> String { isAtOwnURL ? url.withoutPath : url.text }

    /// A head as a report has it.
    func reported(_ head: ResponseHead, from url: HTTPURL) -> ResponseHead {
        guard let own = machine.url else { return head }
        var fields = HeaderFields()
        var isChanged = false
        for var field in head.fields.fields {
            if field.name.lowercased() == "location", url.resolving(field.value) == own {
                field.value = own.withoutPath
                isChanged = true
            }
            fields.append(field)
        }
        return isChanged ? ResponseHead(statusCode: head.statusCode, fields: fields) : head
    }
}

extension HTTPURL {
    /// The URL without the path, which only the upload's owner is to know.
    fileprivate var withoutPath: String { "\(origin.text)/<redacted>" }
}
