internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Decides which of a session's credentials the exchanges of one attempt carry.
///
/// Call `begin` before each hop, and `answer` after each 401. An attempt does not carry a refused
/// credential again; after three refusals it stops (`previousFailureCount` of Apple's challenges).
struct Authentication {
    /// The step after a 401.
    enum Answer: Equatable {
        /// The 401 is the result.
        case none
        /// libcurl continues by itself, within the same transfer.
        case byLibrary
        /// The 401 is the result, and libcurl must not continue.
        case stop
        /// Another exchange carries this credential.
        case credential(Int)
    }

    /// The credentials of a first request.
    enum Start: Equatable {
        /// The request carries no credential.
        case plain
        /// A challenge is likely: the body should wait for it.
        case asking
        /// The request carries this credential at once.
        case carrying(Int)
    }

    /// The number of refused credentials after which the 401 is the result.
    static let mostFailures = 3
    /// The most answers of libcurl within one transfer: NTLM needs one, Negotiate may need several.
    private static let mostLibraryAnswers = 4

    private let credentials: [Credential]
    /// Whether the runner sends the requests itself, each over a connection of its own, so that
    /// libcurl answers no challenge.
    private let sendsItself: Bool
    /// The last challenge of Digest from the URL; nil before it has sent one.
    private(set) var digestChallenge: Challenge?
    /// The index of the credential that the running exchange carries.
    private(set) var carried: Int?
    /// The indices of credentials that are not carried again: they were refused, or could not be
    /// sent.
    private var spent: [Int] = []
    /// The indices of refused credentials.
    private(set) var refused: [Int] = []
    /// Whether a credential was requested but could not be sent, and none was refused.
    var isUnable: Bool { refused.isEmpty && !spent.isEmpty }
    /// Whether the task's own field replaces all credentials.
    private var isOverruled = false
    private var libraryAnswers = 0
    private var hasAnsweredStale = false
    /// The fields that sign the running exchange's request.
    private var signature: [HeaderField] = []

    /// `credentials` are the session's; `sendsItself` is for requests that libcurl does not send.
    init(_ credentials: [Credential], sendsItself: Bool = false) {
        self.credentials = credentials
        self.sendsItself = sendsItself
    }

    /// Decides which credential the first request to a URL carries.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - hasBody: Whether a refused request would have sent a body for nothing.
    ///   - hasAuthorization: Whether the task has its own field, which takes precedence.
    ///   - known: The protection spaces that accepted the session's credentials.
    /// - Returns: The credential, or none.
    mutating func begin(
        _ url: TransferURL,
        hasBody: Bool,
        hasAuthorization: Bool,
        known: AcceptedCredentials
    ) -> Start {
        carried = nil
        digestChallenge = nil
        libraryAnswers = 0
        hasAnsweredStale = false
        isOverruled = hasAuthorization
        guard !isOverruled else { return .plain }
        let usable = credentials.indices.filter { isUsable($0, at: url.origin) }
        if let unasked = usable.first(where: { credentials[$0].isSentUnasked }) {
            carried = unasked
        } else if let known = known.credential(for: url), usable.contains(known),
            !hasBody || !credentials[known].takesChallenge
        {
            carried = known
        } else if let early = early(usable, to: url) {
            carried = early
        } else if hasBody {
            let answering = usable.filter { credentials[$0].strength != nil }
            guard let only = answering.first else { return .plain }
            // With a single candidate, the server's wanted credential is known.
            guard answering.count == 1, credentials[only].isSentEarly else { return .asking }
            carried = only
        }
        return carried.map { .carrying($0) } ?? .plain
    }

    /// Whether the attempt may carry a credential to an origin.
    private func isUsable(_ position: Int, at origin: Origin) -> Bool {
        credentials[position].space.contains(origin) && !spent.contains(position)
            && !(sendsItself && credentials[position].isConnectionBound)
    }

    /// The login that goes over TLS before the server asks, because many servers hide a private
    /// resource behind a 404; nil while another method may be wanted.
    private func early(_ usable: [Int], to url: TransferURL) -> Int? {
        guard url.origin.scheme == .https else { return nil }
        let answering = usable.filter {
            credentials[$0].strength != nil && !credentials[$0].isFallback
        }
        guard answering.count == 1, credentials[answering[0]].isSentEarly else { return nil }
        return answering[0]
    }

    /// The carried credential for libcurl; nil when libcurl does not handle it.
    var easy: EasyAuthentication? {
        guard let carried else { return .awaited }
        return switch credentials[carried].proof {
        case .basic(let login):
            login.password.withText { .basic(user: login.user, password: $0) }
        case .digest(let login):
            login.password.withText { .digest(user: login.user, password: $0) }
        case .ntlm(let login):
            login.password.withText { .ntlm(user: login.user, password: $0) }
        case .negotiate: .negotiate
        case .bearer(let token): token.withText { .bearer(token: $0) }
        case .awsSigV4, .clientCertificate, .ssh, .netrc: nil
        }
    }

    /// Whether fields sign the running exchange's request.
    var isSigned: Bool { !signature.isEmpty }

    /// Signs the next exchange's request, if the carried credential signs requests.
    mutating func sign(
        _ request: RequestSpec,
        _ body: BodySource?,
        at date: () -> Timestamp
    ) throws(TransferFailure) {
        signature = []
        signature = try signature(for: request, body, at: date)
    }

    /// The request as it is sent, with the fields that sign it.
    func signed(_ request: RequestSpec) -> RequestSpec {
        guard isSigned else { return request }
        return RequestSpec(
            method: request.method,
            url: request.url.signable,
            headers: request.headers + signature
        )
    }

    /// The fields that sign a request, made with the wall clock; none without a signing credential.
    func signature(
        for request: RequestSpec,
        _ body: BodySource?,
        at now: () -> Timestamp
    ) throws(TransferFailure) -> [HeaderField] {
        guard let carried, case .awsSigV4(let keys) = credentials[carried].proof else { return [] }
        let payload: AWSSignature.Payload
        switch body {
        case nil: payload = .bytes([])
        case .bytes(let bytes), .compressed(let bytes, _): payload = .bytes(bytes)
        case .file, .multipart, .command, .pipe:
            guard keys.service == "s3" else {
                throw Self.unsigned(
                    "`awsSigV4` signs only a body in memory, except for the service `s3`"
                )
            }
            payload = .unsigned
        }
        let signed = RequestSpec(
            method: request.method,
            url: request.url.signable,
            headers: request.headers
        )
        let signer = AWSSignature(credential: keys)
        guard let fields = signer.fields(for: signed, payload, at: now()) else {
            throw Self.unsigned("the request cannot be signed, because libcrypto cannot be loaded")
        }
        return fields
    }

    private static func unsigned(_ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: .localIO, phase: .prepare, detail: detail)
        failure.isPermanent = true
        return failure
    }

    /// Notes that the server did not refuse the carried credential: other requests can carry it at
    /// once.
    func didAccept(at url: TransferURL, in known: inout AcceptedCredentials) {
        guard let carried else { return }
        switch credentials[carried].proof {
        case .basic, .digest, .ntlm, .negotiate:
            known.note(carried, at: url, hasRealm: credentials[carried].space.realm != nil)
        case .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: break
        }
    }

    /// Explains how the session's credentials contributed to a refusal.
    func explain(_ failure: inout TransferFailure, _ head: ResponseHead?, from url: TransferURL) {
        guard !isOverruled else { return }
        if failure.httpStatus == 401 { explainChallenge(&failure, head) }
        // A server may answer with these statuses to hide a private resource.
        guard failure.help == nil, [401, 403, 404].contains(failure.httpStatus), carried == nil,
            spent.isEmpty,
            let unsent = credentials.indices.first(where: {
                isUsable($0, at: url.origin) && credentials[$0].strength != nil
            })
        else { return }
        let name = credentials[unsent].methodName
        failure.help =
            "the session's login (\(name)) was not sent, because the server did not "
            + "ask for it; over TLS `method: basic` alone sends it at once, without `realm` and "
            + "`challenge: wait`"
    }

    /// Adds to a final 401 why the session could not answer it.
    private func explainChallenge(_ failure: inout TransferFailure, _ head: ResponseHead?) {
        let refused = refused.map { credentials[$0].methodName }
        if !refused.isEmpty {
            // Another attempt would carry the same credentials.
            failure.isPermanent = true
            failure.help =
                "the server refused the session's credential "
                + "(\(refused.joined(separator: ", ")))"
                + (head.flatMap(Challenge.reason).map { ": \($0)" } ?? "")
        } else if isUnable {
            failure.help =
                "the session's credential could not be used: check with `klist` that there is a "
                + "Kerberos ticket"
        } else if let head {
            let schemes = Set(Challenge.all(of: head).map(\.scheme))
                .intersection(Credential.methodNames)
            guard !schemes.isEmpty else { return }
            failure.help =
                "the server asks for \(schemes.sorted().joined(separator: " or ")), "
                + "and no credential of the session fits"
        }
    }

    /// Judges a final response with regard to the session's credentials.
    mutating func judge(
        _ head: ResponseHead,
        from url: TransferURL,
        lacksBody: Bool,
        didSend: @autoclosure () -> Bool,
        hasNewCookies: @autoclosure () -> Bool,
        in known: inout AcceptedCredentials
    ) -> Answer {
        guard head.statusCode == 401 else {
            if !lacksBody { didAccept(at: url, in: &known) }
            return .none
        }
        let challenges = Challenge.all(of: head)
        digestChallenge = challenges.first { $0.scheme == "digest" }
        let answer = answer(challenges, from: url, didSend: didSend())
        // libcurl would repeat the cookies of the challenged request.
        guard answer == .byLibrary, let carried,
            sendsItself || isDigest(carried) && hasNewCookies()
        else { return answer }
        return .credential(carried)
    }

    /// Decides on a 401.
    ///
    /// - Parameters:
    ///   - challenges: The challenges of the response.
    ///   - url: The requested URL.
    ///   - didSend: Whether the request had an `Authorization`.
    /// - Returns: The next step.
    mutating func answer(
        _ challenges: [Challenge],
        from url: TransferURL,
        didSend: Bool
    ) -> Answer {
        guard let carried else { return next(challenges, url) }
        guard isAnsweredByLibrary(challenges, didSend: didSend) else {
            drop(carried, isRefused: didSend)
            return next(challenges, url)
        }
        let isStale = didSend && isDigest(carried)
        guard libraryAnswers < Self.mostLibraryAnswers, !(isStale && hasAnsweredStale) else {
            drop(carried, isRefused: true)
            return .stop
        }
        libraryAnswers += 1
        if isStale { hasAnsweredStale = true }
        return .byLibrary
    }

    /// Gives up the carried credential, because libcurl could have continued but did not.
    mutating func giveUp(
        _ challenges: [Challenge],
        from url: TransferURL,
        didSend: Bool
    ) -> Answer {
        if let carried { drop(carried, isRefused: didSend) }
        return next(challenges, url)
    }

    private mutating func drop(_ position: Int, isRefused: Bool) {
        spent.append(position)
        if isRefused { refused.append(position) }
        carried = nil
        libraryAnswers = 0
        hasAnsweredStale = false
    }

    private mutating func next(_ challenges: [Challenge], _ url: TransferURL) -> Answer {
        guard spent.count < Self.mostFailures, !isOverruled else { return .none }
        var best: (position: Int, strength: Int)?
        for (position, credential) in credentials.enumerated()
        where isUsable(position, at: url.origin) {
            guard let strength = credential.strength, strength > best?.strength ?? -1,
                credential.answers(challenges)
            else { continue }
            best = (position, strength)
        }
        carried = best?.position
        return best.map { .credential($0.position) } ?? .none
    }

    /// Whether the 401 is a step of the carried method and not its refusal.
    private func isAnsweredByLibrary(_ challenges: [Challenge], didSend: Bool) -> Bool {
        guard let carried else { return false }
        switch credentials[carried].proof {
        case .ntlm: return challenges.contains { $0.scheme == "ntlm" && $0.token != nil }
        case .negotiate:
            return challenges.contains { $0.scheme == "negotiate" && $0.token != nil }
        case .digest:
            guard credentials[carried].answers(challenges) else { return false }
            // The first request of a transfer may have no nonce yet.
            guard didSend else { return libraryAnswers == 0 }
            return challenges.first { $0.scheme == "digest" }?.text("stale") == "true"
        default: return false
        }
    }

    private func isDigest(_ position: Int) -> Bool {
        if case .digest = credentials[position].proof { true } else { false }
    }
}

extension Credential {
    fileprivate static let methodNames: Set<String> = [
        "basic", "digest", "negotiate", "ntlm", "bearer",
    ]

    /// The method's name in the job file.
    fileprivate var methodName: String {
        switch proof {
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .bearer: "bearer"
        case .awsSigV4: "awsSigV4"
        case .clientCertificate: "clientCertificate"
        case .ssh: "publicKey"
        case .netrc: "netrc"
        }
    }

    /// Whether the credential is part of every request to its servers.
    fileprivate var isSentUnasked: Bool {
        switch proof {
        case .bearer, .awsSigV4: true
        default: false
        }
    }

    /// Whether a request over TLS or with a body, which would otherwise be sent twice, carries the
    /// credential unasked.
    fileprivate var isSentEarly: Bool {
        if case .basic = proof { space.realm == nil && challenge == .skip } else { false }
    }

    /// Whether the method needs a challenge before it can prove anything.
    ///
    /// Without a challenge, libcurl would send a request with a known credential but without its
    /// body, and another URL of the space may not challenge it.
    fileprivate var takesChallenge: Bool {
        switch proof {
        case .digest, .ntlm, .negotiate: true
        case .basic, .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: false
        }
    }

    /// Whether the method authenticates a connection, and not a request: libcurl alone can do that.
    fileprivate var isConnectionBound: Bool {
        switch proof {
        case .ntlm, .negotiate: true
        case .basic, .digest, .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: false
        }
    }

    /// How well the method protects its secret, higher is better; nil for methods that do not
    /// answer challenges.
    fileprivate var strength: Int? {
        switch proof {
        case .basic: 0
        case .ntlm: 1
        case .digest: 2
        case .negotiate: 3
        case .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: nil
        }
    }

    /// Whether the credential answers one of the challenges.
    fileprivate func answers(_ challenges: [Challenge]) -> Bool {
        switch proof {
        case .basic: challenges.contains { $0.scheme == "basic" && isFor($0) }
        case .ntlm: challenges.contains { $0.scheme == "ntlm" }
        case .negotiate: challenges.contains { $0.scheme == "negotiate" }
        case .digest:
            // libcurl reads only the first challenge.
            challenges.first { $0.scheme == "digest" }.map { isFor($0) && $0.isKnownDigest }
                ?? false
        case .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: false
        }
    }

    private func isFor(_ challenge: Challenge) -> Bool {
        guard let realm = space.realm else { return true }
        return challenge["realm"].map { $0.elementsEqual(realm.utf8) } ?? false
    }
}

extension Challenge {
    /// The challenges of an origin.
    static func all(of head: ResponseHead) -> [Challenge] {
        all(in: head.fields, named: "www-authenticate")
    }

    /// The server's words about a refused bearer token (RFC 6750 §3), made harmless; nil without
    /// any.
    fileprivate static func reason(in head: ResponseHead) -> String? {
        let words = all(of: head).lazy.compactMap { $0["error_description"] ?? $0["error"] }.first
        guard let words else { return nil }
        let text = TextExcerpt.of(HeaderFields.text(words[...]))
        return text.isEmpty ? nil : text
    }

    /// Algorithms of RFC 7616 §6.1 that libcurl computes.
    private static let algorithms = ["md5", "md5-sess", "sha-256", "sha-256-sess"]

    /// Whether a Digest challenge can be answered; also one of RFC 2069, without a quality of
    /// protection.
    fileprivate var isKnownDigest: Bool {
        guard self["nonce"] != nil, text("algorithm").map(Self.algorithms.contains) ?? true else {
            return false
        }
        guard let qualities = text("qop") else { return true }
        return qualities.splitAtBytes(",", " ", "\t").contains("auth")
    }
}
