internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// The state of an attempt's use of its session's cache.
///
/// A class, so that an attempt without a cache stores only nil.
final class CachedExchange {
    /// A stored response that replaces a response from the network.
    struct Served {
        var response: StoredResponse
        /// The number of body bytes handed out.
        var length: Int64
    }

    let cache: HTTPCache
    private let policy: RequestCachePolicy
    private let ignoresStored: Bool
    /// Whether to guess the freshness of a response that does not state it.
    private let mayGuess: Bool
    /// The file at the destination, which may already have the body; nil where it does not matter.
    private var copy: PresentCopy?
    /// The hop's request; nil before the lookup.
    private(set) var request: CacheRequest?
    /// The question to the origin; nil before the lookup.
    private(set) var question: CachePlan.Question?
    /// When the running request was made.
    private var requestTime = Timestamp(microseconds: 0)
    /// Takes the received body; nil when it is not stored.
    private var draft: CacheDraft?
    private(set) var served: Served?
    /// The body that is read in steps; nil without one.
    private var reading: Serving.Reading?
    private var hasSoughtPart = false
    /// The redirects so far that came from the cache or were stored.
    private var followed: [TransferURL] = []
    /// The request that a stale response answered and that must be repeated; nil without one.
    private(set) var refresh: RequestSpec?
    /// The current decision of the cache.
    private(set) var verdict: CacheVerdict?

    init(_ cache: HTTPCache, _ policy: RequestCachePolicy, _ request: borrowing AttemptRequest) {
        self.cache = cache
        self.policy = policy
        ignoresStored = request.ignoresStored
        guard case .file(let wanted) = request.sink, wanted.ifExists == .revalidate else {
            mayGuess = !request.expectation.looksIntoResponse
            return
        }
        mayGuess = false
        if !wanted.isFolder, !request.decodesBody {
            copy = PresentCopy(path: wanted.path, algorithm: wanted.checksum?.algorithm)
        }
    }

    /// Returns nil without a cache in the session or task, for most attempts that resume, and for
    /// responses that replace themselves.
    ///
    /// An attempt with a part of a file uses the cache only if its policy accepts any age.
    static func make(
        for request: borrowing AttemptRequest,
        of session: SessionTransport
    ) -> CachedExchange? {
        guard let cache = session.cache, let policy = request.cachePolicy,
            !request.request.url.isLocal, !request.request.url.isCustom,
            !request.request.url.isOfFileServer,
            request.partial == nil || policy.usesAnyAge, request.sink != .checksums,
            request.mixedReplace == nil
        else { return nil }
        return CachedExchange(cache, policy, request)
    }

    /// Notes a followed redirect: it may share the blame for a failure at its target.
    func willFollow() {
        guard served != nil || verdict?.storing == .stored, let request else { return }
        followed.append(request.url)
    }

    /// Prepares the lookup of another URL.
    func beginHop() {
        request = nil
        question = nil
        served = nil
        copy?.forget()
        verdict = nil
    }

    /// Whether to look for the part of an earlier attempt now; true once.
    func takesPart() -> Bool {
        defer { hasSoughtPart = true }
        return !hasSoughtPart
    }

    /// Drops the response, which is useless now.
    func forgetResponse() {
        draft = nil
        served = nil
        reading = nil
        copy?.forget()
    }

    /// Looks a request up.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request.
    ///   - fields: All fields by which a response may vary.
    ///   - now: The current time.
    /// - Returns: How to answer the request.
    func plan(
        _ method: String,
        _ url: TransferURL,
        _ fields: [HeaderField],
        at now: Timestamp
    ) -> CachePlan {
        let request = makeRequest(method, url, fields)
        self.request = request
        return cache.plan(for: request, isRepeated: ignoresStored, now: now)
    }

    /// Replaces the fields of the looked-up request by the sent fields.
    func renew(_ fields: [HeaderField]) {
        request = request.map { makeRequest($0.method, $0.url, fields) }
    }

    private func makeRequest(
        _ method: String,
        _ url: TransferURL,
        _ fields: [HeaderField]
    ) -> CacheRequest {
        CacheRequest(
            method: method,
            url: url,
            fields: fields,
            policy: policy,
            mayHaveCopy: copy != nil,
            mayGuess: mayGuess
        )
    }

    /// Decides what to ask the origin.
    func ask(_ question: CachePlan.Question) {
        self.question = question
        // Without the stored body or a copy at the destination, a 304 would be useless.
        if question.stored.contains(where: { !$0.hasBody && copy?.file(like: $0.body) == nil }) {
            self.question?.conditions = []
        }
        verdict = .init(question.isBypass ? .bypassed : .miss, question.reason)
    }

    /// Notes that the request is made; returns whether it has a condition.
    func willAsk(at now: Timestamp) -> Bool {
        requestTime = now
        return question?.conditions.isEmpty == false
    }

    // MARK: - Stored bodies

    /// Whether a stored body is being read.
    var isReading: Bool { reading != nil }

    /// Begins to answer with a stored response.
    ///
    /// - Returns: The step; nil for a long body, which `readStep` checks.
    func begin(_ serving: Serving, method: String) -> Serving.Step? {
        let stored = serving.response
        guard method != "HEAD", stored.body.length > 0, answer(with: stored) != .notModified
        else { return .deliver(serving, nil) }
        guard stored.body.length > StoredBodyCheck.step else {
            return body(of: stored).map { .deliver(serving, $0) } ?? .giveUp(serving)
        }
        // The file at the destination, or the store.
        let own = request?.range == nil ? copy?.check(stored.body) : nil
        guard let check = own ?? storeCheck(of: stored) else { return .giveUp(serving) }
        reading = .checking(serving, check)
        return nil
    }

    /// Reads the next piece of a stored body; nil without one.
    func readStep() -> Serving.Step? {
        switch reading {
        case .checking(let serving, var check):
            guard let isIntact = check.goOn() else {
                reading = .checking(serving, check)
                return .more
            }
            reading = nil
            if isIntact {
                if let file = check.copy { copy?.isSame(file, digest: check.finishDigest()) }
                return .deliver(serving, check.body)
            }
            guard check.copy != nil, let next = storeCheck(of: serving.response) else {
                return .giveUp(serving)
            }
            reading = .checking(serving, next)
            return .more
        case .handingOn(let body, let start, let end):
            let next = min(start + StoredBodyCheck.step, end)
            reading = .handingOn(body, from: next, to: end)
            return .handOn(body, from: start, to: next, isLast: next == end)
        case nil: return nil
        }
    }

    /// Hands an intact body on, a long one in steps.
    func handOn(_ body: StoredBody, from start: Int64, to end: Int64) -> Serving.Step {
        guard end - start > StoredBodyCheck.step else {
            return .handOn(body, from: start, to: end, isLast: true)
        }
        reading = .handingOn(body, from: start, to: end)
        return .more
    }

    /// Notes that the stored body was read, or is no longer wanted.
    func endReading() { reading = nil }

    /// Forgets a stored response whose body is missing or damaged, to ask the origin instead.
    func drop(_ url: TransferURL) {
        cache.forget(url)
        question = .init(reason: .damaged)
    }

    /// Begins to check a long body in the store, because the file at the destination differs.
    private func storeCheck(of stored: StoredResponse) -> StoredBodyCheck? {
        copy?.isDifferent()
        guard stored.hasBody else { return nil }
        return cache.body(of: stored).map { StoredBodyCheck(of: $0, stored.body) }
    }

    /// The intact body of a stored response from the file at the destination, or from the store;
    /// nil without one.
    private func body(of stored: StoredResponse) -> StoredBody? {
        if request?.range == nil, let body = copy?.body(stored.body) { return body }
        return stored.hasBody ? cache.body(of: stored)?.loaded(stored.body) : nil
    }

    /// Whether the file already has the served body, so that it may stay.
    func isKept(_ file: TaskSpec.Destination) -> Bool {
        guard let served, served.length == served.response.body.length else { return false }
        return (copy ?? PresentCopy(path: file.path)).isKept(as: file, served.response.body)
    }

    /// Whether the response comes from the cache or will be stored.
    var isOfCache: Bool { served != nil || draft != nil }

    /// The fields sent besides the request's own.
    var addedFields: [HeaderField] {
        guard let question, let request else { return [] }
        return question.conditions + request.fieldsForOtherCaches
    }

    /// The length of the served body; nil when none is served.
    var servedLength: Int64? { served?.length }

    /// The answer of a stored response to the request.
    func answer(with stored: StoredResponse) -> StoredAnswer {
        request.flatMap { StoredAnswer(to: $0, with: stored) } ?? .whole
    }

    /// Notes that a stored response is the answer to a hop, with that many bytes of its body.
    func serve(_ serving: Serving, length: Int64, to hop: RequestSpec) {
        served = Served(response: serving.response, length: length)
        verdict = serving.verdict
        if case .lookup(refreshes: true) = serving.occasion { refresh = hop }
    }

    // MARK: - Decisions

    /// The cache's step after an exchange with the network.
    enum Next {
        /// The same step as without a cache.
        case usual
        /// A stored response answers, because the origin failed or confirmed it.
        case serve(Serving)
        /// The same request without conditions.
        case restart
    }

    /// The stored response that may replace the failing origin's; nil without one.
    private func standIn(at now: Timestamp) -> StoredResponse? {
        guard served == nil, let request, let stored = question?.stored.first,
            cache.mayStandIn(stored, for: request, now: now)
        else { return nil }
        return stored
    }

    /// Whether a stored response replaces one from the network, because the origin confirmed it or
    /// failed.
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

    /// Decides the step after an exchange with the network.
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

    /// Uses the response that the origin confirmed; without a match the request is repeated without
    /// conditions.
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

    /// Removes the stored responses that answered a failed attempt and may be at fault.
    func forget(after failure: TransferFailure) {
        if failure.isAboutContent, served != nil, let request { cache.forget(request.url) }
        if failure.mayBeOfTarget { for url in followed { cache.forget(url) } }
    }

    // MARK: - Storing

    /// Takes the complete head of a response from the network that no stored one replaces.
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

    /// Takes a piece of the body as sent.
    func take(_ bytes: Span<UInt8>) {
        guard draft != nil, draft?.append(bytes) == false else { return }
        draft = nil
        verdict?.storing = cache.fault == nil ? .tooLarge : .failed
    }

    /// Stops storing because the disk has no room for the file, which matters more than its copy in
    /// the cache.
    ///
    /// - Parameter error: The file system's error.
    /// - Returns: Whether there may be more room now.
    func giveWay(_ error: SystemError) -> Bool {
        guard draft != nil else { return false }
        draft?.didFail(error)
        draft = nil
        verdict?.storing = .failed
        return true
    }

    /// The decision about stored responses that is made once the attempt's result is known.
    func outcome() -> CacheOutcome? {
        var used = followed
        if served != nil, let request { used.append(request.url) }
        guard draft != nil || !used.isEmpty else { return nil }
        return CacheOutcome(cache: cache, draft: draft, used: used)
    }

    /// Stores a complete response that needs no further judgement.
    func commit() {
        guard let draft else { return }
        self.draft = nil
        verdict?.storing = draft.finish()
    }

    /// Drops a response that is incomplete or not the expected one.
    func reject(_ reason: CacheVerdict.Storing) {
        guard draft != nil else { return }
        draft = nil
        verdict?.storing = reason
    }
}

extension StoredBody {
    /// The intact body, in memory when it is small; nil when it is damaged.
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
