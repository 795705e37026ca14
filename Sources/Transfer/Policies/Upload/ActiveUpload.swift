internal import SystemKit
internal import TransferModel

/// The resumable upload that an attempt begins or resumes: `UploadMachine`'s decisions, and the
/// record for later attempts.
///
/// A class, because only attempts with a large body have one.
final class ActiveUpload {
    /// The time for a server to confirm the cancellation of an upload.
    static let cancellationLimit = Duration.seconds(5)
    /// The size of libcurl's send buffer, bytes: over TLS it reports none of them until all have
    /// left.
    private static let sendBufferSize: Int64 = 2 << 20

    /// The meaning of a final response for the upload.
    enum Judgement: Equatable {
        /// The response is judged like any other; it may be the answer to the whole order.
        case usual(answersOrder: Bool)
        case redirect
        /// The body is not wanted; `next` returns the following step.
        case passOver

        /// The verdict on a response that another request follows; nil for a usual one.
        var verdict: ResponseVerdict? {
            switch self {
            case .usual: nil
            case .redirect: .redirect
            case .passOver: .proceed
            }
        }
    }

    /// The step after a skipped response, or at the end of the upload.
    enum Next {
        case finish
        case fail(UploadFault)
        /// The server already had the whole body, and its answer was lost.
        case finishWithoutAnswer
        /// The request of the machine's leg.
        case leg
        /// The same request, because the server refused its version; `isOver` when it refused the
        /// last version.
        case again(isOver: Bool)
    }

    let start: UploadStart
    /// The salt of the digests.
    private let salt: String
    private let boundary: String?
    private let creationDate: Timestamp
    private(set) var machine: UploadMachine
    /// The step that follows the received response.
    private(set) var step = UploadStep.judge
    /// Whether the running request cancels the upload.
    private(set) var isGivingUp = false
    /// The digests; nil until they are needed.
    private var digests: UploadDigests?
    /// Whether a record of the upload is kept.
    private var isStored: Bool
    /// The offset at which this attempt resumed the body; nil when it sent the first byte or none.
    private(set) var resumedFrom: Int64?
    /// The offset up to which the body was sent; nil when nothing was sent.
    private(set) var sentEnd: Int64?
    /// An earlier upload that is not resumed; it stays unchanged until the server has decided about
    /// it.
    private let other: PartialUpload?

    /// Creates an upload that begins now.
    init(_ start: UploadStart, machine: UploadMachine) {
        self.start = start
        self.machine = machine
        boundary = start.boundary
        creationDate = start.now
        salt = PartialRecord.makeSalt()
        isStored = false
        other = nil
    }

    /// Creates an upload that an earlier attempt began.
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

    /// Notes that another leg begins.
    ///
    /// - Returns: Whether the leg has other time limits than the previous one.
    func beginLeg() -> Bool {
        if case .append(let start, _) = machine.leg, start > 0, sentEnd == nil {
            resumedFrom = start
        }
        let wasGivingUp = isGivingUp
        isGivingUp = if case .cancellation = machine.leg { true } else { false }
        return isGivingUp != wasGivingUp
    }

    /// Whether the running request goes to the upload's own URL, which must stay secret.
    var isAtOwnURL: Bool {
        switch machine.leg {
        case .offset, .append, .cancellation: true
        case .creation, .over: false
        }
    }

    /// The range of the body that the running request carries; nil for none.
    var part: Range<Int64>? {
        switch machine.leg {
        case .creation, .over: 0..<machine.total
        case .append(let start, let end): start..<end
        case .offset, .cancellation: nil
        }
    }

    /// The request of the current leg, without the fields of the protocol.
    ///
    /// A request to the upload's own URL has the task's fields, except those about its body or its
    /// order.
    func request(at url: TransferURL) -> RequestSpec {
        let method: String
        switch machine.leg {
        case .creation, .over: return start.request
        case .offset: method = "HEAD"
        case .append: method = "PATCH"
        case .cancellation: method = "DELETE"
        }
        let fields = start.request.headers.filter { field in
            let name = field.name.lowercased()
            return !name.hasBytePrefix("content-") && !name.hasBytePrefix("if-")
                && !Self.ownNames.contains(name) && field.bodyDigests.isEmpty
        }
        return RequestSpec(method: method, url: url, headers: fields)
    }

    /// The names of fields about the whole body or about the order.
    private static let ownNames: Set<String> = [
        "digest", "expect", "idempotency-key", "range", "repr-digest",
    ]

    /// The URL of the current leg: an append goes where the last request was redirected.
    func url(after hop: TransferURL) -> TransferURL {
        if case .append = machine.leg { hop } else { machine.url ?? hop }
    }

    /// Why the request of the leg is sent.
    var reason: TransactionMetrics.Reason {
        switch machine.leg {
        case .offset: .uploadOffset
        case .append: .uploadAppend
        case .cancellation: .uploadCancel
        case .creation, .over: .restart
        }
    }

    /// The part of a body in memory that the running request carries; nil when it carries all.
    func appended(of bytes: [UInt8]) -> [UInt8]? {
        guard case .append(let start, let end) = machine.leg else { return nil }
        let part = Int(clamping: start)..<Int(clamping: end)
        return Array(bytes[part.clamped(to: bytes.indices)])
    }

    /// The offset of the body at which the running request begins.
    var offset: Int64 { part?.lowerBound ?? machine.confirmed }

    // MARK: - Events

    /// Notes that the request is sent again with other content or to another URL.
    func willRepeat() { machine.willRepeat() }

    /// Notes that the rest of the attempt has no body to upload.
    func leave() { machine.leave() }

    /// Takes a 104, which may name the upload's URL; the URL is recorded at once.
    func didInform(_ head: ResponseHead, from url: TransferURL, _ support: inout UploadSupport) {
        guard machine.didInform(head.fields, from: url) else {
            // A 104 of another version than the request's does not count, but the next request uses
            // that version.
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

    /// Notes how many body bytes the running request has sent, as far as libcurl reports them: TLS
    /// and proxies buffer more.
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
        from url: TransferURL,
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

    /// Takes the end of the request that cancels the upload, whatever its response.
    func didCancel() {
        step = machine.didCancel()
        if step == .proceed { forget() }
    }

    /// The step after an exchange with `method`.
    func next(after method: String) -> Next {
        switch step {
        case .judge: return .finish
        case .fail(let fault): return .fail(fault)
        case .answerLost: return .finishWithoutAnswer
        case .sendPlainly:
            // The record belongs to the other order.
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

    /// The failure of an upload whose answer was lost; nil when the task expects nothing but a
    /// success.
    func failureWithoutAnswer(expectsNothing: Bool) -> TransferFailure? {
        if let status = machine.lateStatus {
            return ResponseVerdict.statusFailure(
                ResponseHead(statusCode: status, fields: HeaderFields())
            )
        }
        return expectsNothing
            ? nil
            : ExchangeStage.truncated("the upload is complete, but its response was lost")
    }

    // MARK: - The record

    /// The upload that is left for another attempt or run; `support` takes a version that the
    /// server ignored.
    func outcome(
        after failure: TransferFailure?,
        _ head: ResponseHead?,
        from origin: Origin,
        _ support: inout UploadSupport
    ) -> UploadOutcome {
        // Such an upload got far enough for a 104.
        let isAccepted = head.map { (200...299).contains($0.statusCode) } ?? false
        if machine.url == nil, resumedFrom == nil,
            isAccepted || sentEnd ?? 0 >= Self.sendBufferSize
        {
            support.noteSilence(to: machine.version, at: origin)
        }
        var outcome = UploadOutcome(partial: nil, resumedFrom: resumedFrom, sentEnd: sentEnd)
        if failure?.leavesUpload == true, machine.url != nil {
            keep()
            // Only the record prevents the order from being sent twice.
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

    /// The state that another attempt can resume; nil without a URL.
    private var partial: PartialUpload? {
        guard let url = machine.url, let digests else { return nil }
        // With this request's digests, the other upload's bytes would count as this request's
        // bytes.
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

    /// The URL of the running request for a report; the URL of an upload would allow others to add
    /// to it.
    func reported(_ url: TransferURL) -> String { isAtOwnURL ? url.withoutPath : url.text }

    /// A response's head for a report.
    func reported(_ head: ResponseHead, from url: TransferURL) -> ResponseHead {
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

extension TransferURL {
    /// The URL without its path, which only the upload's owner may know.
    fileprivate var withoutPath: String { "\(origin.text)/<redacted>" }
}

/// Decides whether an attempt begins an upload that can be resumed, or resumes one.
struct UploadStart {
    let wanted: AttemptRequest.Upload
    /// The task's own request.
    let request: RequestSpec
    /// The boundary of a `multipart` body.
    let boundary: String?
    /// Bytes of the whole body; nil when unknown, or when the task has own fields of the protocol.
    let total: Int64?
    /// Makes the digests that distinguish this upload from others.
    let source: UploadDigests.Source
    /// Whether the request may reach the server's application twice.
    let isRepeatable: Bool
    /// Whether the machine alone chooses the path to the server.
    let isPlain: Bool
    let now: Timestamp
    let keeper: PartialKeeper

    /// The attempt's upload; nil when the body would be sent anew after a cut.
    ///
    /// An order that may have come to its end before is a failure.
    func upload(_ version: UploadVersion?) throws(TransferFailure) -> ActiveUpload? {
        guard let partial = wanted.partial else {
            if let obstacle = wanted.obstacle { try meet(obstacle) }
            return offer(version)
        }
        guard let total, let digests = source.digests(partial.salt) else {
            guard wanted.mayReplace else { throw .anotherUpload }
            return nil
        }
        let match = digests.match(partial)
        guard match != .nothing || wanted.mayReplace else { throw .anotherUpload }
        guard partial.url.origin == request.url.origin else {
            guard isRepeatable else { return nil }
            // The new origin gets only the fields and the body of the task; the old upload expires.
            keeper.forgetUpload(of: wanted.id)
            return offer(version)
        }
        // A new idempotency key says nothing about the time without it.
        let wasRepeatable = match == .upload || partial.isRepeatable || wanted.mayRepeat
        return ActiveUpload(
            self,
            resuming: partial,
            digests: digests,
            machine: UploadMachine(
                resuming: partial,
                of: total,
                match: match,
                isRepeatable: isRepeatable && wasRepeatable
            )
        )
    }

    /// Whether the body is long enough to be resumed: servers keep nothing of shorter ones.
    private var isLong: Bool { total.map { $0 >= TaskSpec.leastResumableCount } ?? false }

    /// An order whose earlier fate is unknown is not sent.
    private func meet(_ obstacle: UploadObstacle) throws(TransferFailure) {
        guard !isRepeatable, isLong else { return }
        // After the failure has reported the unknown outcome once, another run sends the order.
        if case .damaged = obstacle { keeper.forgetUpload(of: wanted.id) }
        throw TransferFailure(obstacle)
    }

    private func offer(_ version: UploadVersion?) -> ActiveUpload? {
        guard let total, isLong, let version else { return nil }
        return ActiveUpload(
            self,
            machine: UploadMachine(total: total, version: version, isRepeatable: isRepeatable)
        )
    }
}
