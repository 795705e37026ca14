internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// What one attempt has to do with its session's cache.
///
/// A class, so that an attempt without a cache holds nothing but a nil.
final class CachedExchange {
    /// What is served in the place of a response from the network.
    struct Served {
        var response: StoredResponse
        /// What of the body is handed out, bytes.
        var length: Int64
    }

    let cache: HTTPCache
    private let policy: RequestCachePolicy
    private let ignoresStored: Bool
    /// Whether a response is taken for fresh without saying so.
    private let mayGuess: Bool
    /// The file at the destination, which may have the body already; nil where it does not matter.
    private(set) var copy: PresentCopy?
    /// The hop's request; nil before it is looked up.
    private(set) var request: CacheRequest?
    /// What the origin is asked; nil before it is.
    var question: CachePlan.Question?
    /// When the running request was made.
    var requestTime = Timestamp(microseconds: 0)
    /// Takes the body that comes in; nil when it is not to be stored.
    private var draft: CacheDraft?
    private(set) var served: Served?
    /// What is read in steps; nil while nothing is.
    var reading: Serving.Reading?
    private var hasSoughtPart = false
    /// The redirects so far that are stored.
    private var followed: [HTTPURL] = []
    /// What was answered by a stale response and is to be asked for again; nil without one.
    var refresh: RequestSpec?
    /// How it stands.
    var verdict: CacheVerdict?

    init(
        _ cache: HTTPCache,
        _ policy: RequestCachePolicy,
        _ request: borrowing AttemptRequest
    ) {
        self.cache = cache
        self.policy = policy
        ignoresStored = request.ignoresStored
        if case .file(let wanted) = request.sink {
            mayGuess = wanted.ifExists != .revalidate
        } else {
            mayGuess = true
        }
        if case .file(let wanted) = request.sink, wanted.ifExists == .revalidate,
            !wanted.isFolder, !request.decodesBody
        {
            copy = PresentCopy(path: wanted.path, algorithm: wanted.checksum?.algorithm)
        }
    }

    /// Nil when the session or the task has no cache, or goes on with a part of a file although
    /// nothing that is stored has to answer.
    static func make(
        for request: borrowing AttemptRequest,
        of session: SessionTransport
    ) -> CachedExchange? {
        guard let cache = session.cache, let policy = request.cachePolicy,
            request.partial == nil || policy.usesAnyAge, request.sink != .checksums
        else { return nil }
        return CachedExchange(cache, policy, request)
    }

    /// The response is a redirect: it is at fault, too, when what comes of it is.
    func willFollow() {
        guard served != nil || verdict?.storing == .stored, let request else { return }
        followed.append(request.url)
    }

    /// Another URL is asked.
    func beginHop() {
        request = nil
        question = nil
        served = nil
        copy?.forget()
        verdict = nil
    }

    /// Whether it is time to look for what an earlier attempt has left; once.
    func takesPart() -> Bool {
        defer { hasSoughtPart = true }
        return !hasSoughtPart
    }

    /// What came is of no use any more.
    func forgetResponse() {
        draft = nil
        served = nil
        reading = nil
        copy?.forget()
    }

    /// Looks a request up.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - url: What it asks.
    ///   - fields: All that a response may vary by.
    ///   - now: The present.
    /// - Returns: What is to be done for it.
    func plan(
        _ method: String,
        _ url: HTTPURL,
        _ fields: [HeaderField],
        at now: Timestamp
    ) -> CachePlan {
        let request = CacheRequest(
            method: method,
            url: url,
            fields: fields,
            policy: policy,
            mayHaveCopy: copy != nil,
            mayGuess: mayGuess
        )
        self.request = request
        return cache.plan(for: request, isRepeated: ignoresStored, now: now)
    }

    /// The running request is sent with other fields than the one that was looked up.
    func renew(_ fields: [HeaderField]) {
        request = request.map {
            CacheRequest(
                method: $0.method,
                url: $0.url,
                fields: fields,
                policy: policy,
                mayHaveCopy: copy != nil,
                mayGuess: mayGuess
            )
        }
    }

    /// Begins to look for a long body in the file that is there already, or in the store; nil when
    /// both are gone.
    func firstCheck(of stored: StoredResponse) -> StoredBodyCheck? {
        if request?.range == nil, let check = copy?.check(stored.body) { return check }
        return secondCheck(of: stored)
    }

    /// Looks for a long body in the store, because the file that is there has another one.
    func secondCheck(of stored: StoredResponse) -> StoredBodyCheck? {
        copy?.isDifferent()
        guard stored.hasBody else { return nil }
        return cache.body(of: stored).map { StoredBodyCheck(of: $0, stored.body) }
    }

    /// A long body was seen to be intact.
    func note(_ check: StoredBodyCheck) {
        if let file = check.copy { copy?.isSame(file, digest: check.finishDigest()) }
    }

    /// The intact body of a stored response from the file that is there already, or from the store;
    /// nil without one.
    func body(of stored: StoredResponse) -> StoredBody? {
        if request?.range == nil, let body = copy?.body(stored.body) { return body }
        return stored.hasBody ? cache.body(of: stored)?.loaded(stored.body) : nil
    }

    /// Whether a file that is there has the served body already, and may stay.
    func isKept(_ file: TaskSpec.Destination) -> Bool {
        guard let served, served.length == served.response.body.length else { return false }
        return (copy ?? PresentCopy(path: file.path)).isKept(as: file, served.response.body)
    }

    /// Whether the response is what is stored, or will be stored.
    var isOfCache: Bool { served != nil || draft != nil }

    /// What is sent besides the request's own fields.
    var addedFields: [HeaderField] {
        guard let question, let request else { return [] }
        return question.conditions + request.fieldsForOtherCaches
    }

    /// The length of what is served; nil while nothing is.
    var servedLength: Int64? { served?.length }

    /// Where a stored redirect leads, of which libcurl knows nothing.
    func redirectURL(from url: HTTPURL, _ head: ResponseHead) -> String? {
        guard served != nil, let location = head.fields["location"] else { return nil }
        return url.resolving(location)?.text
    }

    /// A stored response is the answer.
    func serve(_ response: StoredResponse, length: Int64, _ verdict: CacheVerdict) {
        served = Served(response: response, length: length)
        self.verdict = verdict
    }

    // MARK: - Decisions

    /// What follows an exchange with the network for the cache's sake.
    enum Next {
        /// What follows without a cache.
        case usual
        /// A stored response answers, because the origin has failed or confirmed it.
        case serve(Serving)
        /// The same request without conditions.
        case restart
    }

    /// The stored response that may be used although the origin fails; nil without one.
    private func standIn(at now: Timestamp) -> StoredResponse? {
        guard served == nil, let request, let stored = question?.stored.first,
            cache.mayStandIn(stored, for: request, now: now)
        else { return nil }
        return stored
    }

    /// Whether a stored response replaces one from the network: the origin confirms it, or fails.
    func isAnsweredByStored(
        _ head: ResponseHead,
        contentLength: Int64?,
        isFramed: Bool,
        isWhole: Bool,
        at now: Timestamp
    ) -> Bool {
        guard served == nil, let question, let request else { return false }
        let isConfirmed = head.statusCode == 304 && !question.conditions.isEmpty
        if isConfirmed || Judgement.isFailure(head.statusCode) && standIn(at: now) != nil {
            return true
        }
        if isWhole {
            didReceive(
                head,
                length: contentLength,
                isFramed: isFramed || head.hasNoContent || request.method == "HEAD",
                at: now
            )
        }
        return false
    }

    /// Decides what follows an exchange with the network.
    func next(
        after head: ResponseHead?,
        _ verdict: ResponseVerdict?,
        _ failure: TransferFailure?,
        isComplete: Bool,
        at now: () -> Timestamp
    ) -> Next {
        guard served == nil, reading == nil else { return .usual }
        if let failure, head == nil, failure.isOfOrigin {
            let now = now()
            if let stored = standIn(at: now) {
                return .serve(Serving(stored, after: failure, now: now))
            }
        }
        if case .stored = verdict, let head {
            let now = now()
            if head.statusCode != 304, failure?.kind != .cancelled {
                guard let stored = standIn(at: now) else { return .restart }
                return .serve(Serving(stored, after: failure, now: now))
            }
            return failure == nil ? confirm(head, at: now) : .usual
        }
        guard isComplete else {
            reject(.incomplete)
            return .usual
        }
        switch verdict {
        case .redirect, .refuse: commit()
        case .accept where failure == nil: break
        default: reject(.rejected)
        }
        return .usual
    }

    /// Uses the response that the origin has confirmed; without a match everything is requested.
    private func confirm(_ head: ResponseHead, at now: Timestamp) -> Next {
        guard let request, let question else { return .usual }
        let confirmed = cache.confirm(
            head.fields,
            of: question.stored,
            for: request,
            requestTime: requestTime,
            responseTime: now
        )
        guard let confirmed else {
            self.question = .init(reason: .changed)
            return .restart
        }
        let storing: CacheVerdict.Storing? = confirmed.isUpdated ? .updated : nil
        return .serve(
            Serving(
                response: confirmed.response,
                verdict: CacheVerdict(.revalidated, question.reason, storing: storing),
                occasion: .confirmation
            )
        )
    }

    /// Forgets what has answered a failed attempt and may be at fault.
    func forget(after failure: TransferFailure) {
        if failure.isAboutContent, served != nil, let request { cache.forget(request.url) }
        if failure.mayBeOfTarget { for url in followed { cache.forget(url) } }
    }

    // MARK: - Storing

    /// The head of a response from the network is whole, and no stored one takes its place.
    private func didReceive(_ head: ResponseHead, length: Int64?, isFramed: Bool, at now: Timestamp)
    {
        guard let request, let question else { return }
        let isChanged = !question.conditions.isEmpty && (200...299).contains(head.statusCode)
        let reason: CacheVerdict.Reason = isChanged ? .changed : question.reason
        verdict = CacheVerdict(question.isBypass ? .bypassed : .miss, reason)
        if request.method == "HEAD" {
            cache.note(
                head: head,
                of: request,
                about: question.stored,
                requestTime: requestTime,
                responseTime: now
            )
        }
        guard question.mayStore, request.range == nil else { return }
        guard isFramed else {
            verdict?.storing = .incomplete
            return
        }
        let result = cache.draft(
            of: head,
            to: request,
            requestTime: requestTime,
            responseTime: now,
            length: length
        )
        switch result {
        case .success(let draft): self.draft = draft
        case .failure(let refusal): verdict?.storing = refusal.reason
        }
    }

    /// Takes a piece of the body as it was sent.
    func take(_ bytes: Span<UInt8>) {
        guard draft != nil, draft?.append(bytes) == false else { return }
        draft = nil
        verdict?.storing = cache.fault == nil ? .tooLarge : .failed
    }

    /// The disk has no room for the file, which matters more than what is stored of it.
    ///
    /// - Parameter error: What the file system says.
    /// - Returns: Whether there is more room now.
    func giveWay(_ error: SystemError) -> Bool {
        guard draft != nil else { return false }
        draft?.didFail(error)
        draft = nil
        verdict?.storing = .failed
        return true
    }

    /// What becomes of the stored response once the attempt's result is known.
    func outcome() -> CacheOutcome? {
        var used = followed
        if served != nil, let request { used.append(request.url) }
        guard draft != nil || !used.isEmpty else { return nil }
        return CacheOutcome(cache: cache, draft: draft, used: used)
    }

    /// Stores a whole response that needs no further judgement.
    func commit() {
        guard let draft else { return }
        self.draft = nil
        verdict?.storing = draft.finish()
    }

    /// The response is not whole, or not what the task expects.
    func reject(_ reason: CacheVerdict.Storing) {
        guard draft != nil else { return }
        draft = nil
        verdict?.storing = reason
    }
}

extension StoredBody {
    /// The body, in memory when it is small, once it is seen to be intact; nil when it is not.
    fileprivate func loaded(_ stored: StoredResponse.Body) -> StoredBody? {
        guard case .file(let file) = self, stored.length <= ResponseSink.memoryLimit else {
            return isIntact(stored) ? self : nil
        }
        guard let bytes = try? file.read(at: 0, count: Int(stored.length)) else { return nil }
        let body = StoredBody.memory(bytes)
        return body.isIntact(stored) ? body : nil
    }
}

extension TaskSpec.ExpectedChecksum {
    fileprivate var algorithm: Checksum.Algorithm {
        switch self {
        case .digest(let checksum): checksum.algorithm
        case .listed(let list): list.algorithm
        }
    }
}
