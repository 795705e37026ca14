internal import CurlKit
internal import TransferModel

/// Which of a session's credentials the exchanges of one attempt carry.
///
/// Before each hop `begin`, after each 401 `answer`. A credential that was refused is not carried
/// again by the attempt; after three there is no other try (`previousFailureCount` of Apple's
/// challenges).
struct Authentication {
    /// What becomes of a 401.
    enum Answer: Equatable {
        /// It is the result.
        case none
        /// libcurl goes on by itself, within the same transfer.
        case byLibrary
        /// It is the result, and libcurl is to be kept from going on.
        case stop
        /// Another exchange, which carries this credential.
        case credential(Int)
    }

    /// What a request must know before it is sent.
    enum Start: Equatable {
        /// Nothing is carried.
        case plain
        /// A challenge will probably come: the body should wait for it.
        case asking
        /// This credential is carried at once.
        case carrying(Int)
    }

    /// Refused credentials after which the 401 is the answer.
    static let mostFailures = 3
    /// Answers of libcurl within one transfer: NTLM takes one, Negotiate may take some.
    private static let mostLibraryAnswers = 4

    private let credentials: [Credential]
    /// The position of the credential that the running exchange carries.
    private(set) var carried: Int?
    /// Positions of those that are not carried again: they were refused, or could not be sent.
    private var spent: [Int] = []
    /// Positions of those that were refused.
    private(set) var refused: [Int] = []
    /// Whether a credential was asked for and could not be sent, and none was refused.
    var isUnable: Bool { refused.isEmpty && !spent.isEmpty }
    /// Whether the task's own field takes the place of all credentials.
    private var isOverruled = false
    private var libraryAnswers = 0
    private var hasAnsweredStale = false

    /// `credentials` are those of the session.
    init(_ credentials: [Credential]) { self.credentials = credentials }

    /// Decides what the first request to a URL carries.
    ///
    /// - Parameters:
    ///   - url: Where it goes.
    ///   - hasBody: Whether a refused request would have sent a body in vain.
    ///   - hasAuthorization: Whether the task has a field of its own for it, which wins.
    ///   - known: Where the session's credentials were let in.
    /// - Returns: What the request carries.
    mutating func begin(
        _ url: HTTPURL,
        hasBody: Bool,
        hasAuthorization: Bool,
        known: KnownSpaces
    ) -> Start {
        carried = nil
        libraryAnswers = 0
        hasAnsweredStale = false
        isOverruled = hasAuthorization
        guard !isOverruled else { return .plain }
        let usable = credentials.indices.filter {
            credentials[$0].space.contains(url.origin) && !spent.contains($0)
        }
        if let unasked = usable.first(where: { credentials[$0].isSentUnasked }) {
            carried = unasked
        } else if let known = known.credential(for: url), usable.contains(known),
            !hasBody || !credentials[known].takesChallenge
        {
            carried = known
        } else if hasBody {
            let answering = usable.filter { credentials[$0].strength != nil }
            guard let only = answering.first else { return .plain }
            // With nothing to choose from, what the server would ask for is known.
            guard answering.count == 1, credentials[only].isSentWithBodies else { return .asking }
            carried = only
        }
        return carried.map { .carrying($0) } ?? .plain
    }

    /// The carried credential as libcurl takes it; nil when libcurl has nothing to do with it.
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
        case .awsSigV4, .clientCertificate, .netrc: nil
        }
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
                throw Self.unsigned("`awsSigV4` signs a body that is not in memory for s3 only")
            }
            payload = .unsigned
        }
        let signed = RequestSpec(
            method: request.method,
            url: request.url.normalized,
            headers: request.headers
        )
        let signer = AWSSignature(credential: keys)
        guard let fields = signer.fields(for: signed, payload, at: now()) else {
            throw Self.unsigned("libcrypto is not there, which signs requests")
        }
        return fields
    }

    private static func unsigned(_ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: .localIO, phase: .prepare, detail: detail)
        failure.isPermanent = true
        return failure
    }

    /// The server did not refuse the carried credential: other requests can carry it at once.
    func didAccept(at url: HTTPURL, in known: inout KnownSpaces) {
        guard let carried else { return }
        switch credentials[carried].proof {
        case .basic, .digest, .ntlm, .negotiate:
            known.note(carried, at: url, hasRealm: credentials[carried].space.realm != nil)
        case .bearer, .awsSigV4, .clientCertificate, .netrc: break
        }
    }

    /// Explains a final 401: what the session could not do about it.
    func explain(_ failure: inout TransferFailure?, _ head: ResponseHead?) {
        guard failure?.httpStatus == 401 else { return }
        let refused = refused.map { credentials[$0].methodName }
        if !refused.isEmpty {
            // Another attempt would carry the same credentials.
            failure?.isPermanent = true
            failure?.help =
                "the server has refused the session's credential "
                + "(\(refused.joined(separator: ", ")))"
        } else if isUnable {
            failure?.help =
                "the session's credential could not be used: is there a ticket for negotiate (`klist`)?"
        } else if let head {
            let schemes = Set(Challenge.all(of: head).map(\.scheme))
                .intersection(Credential.methodNames)
            guard !schemes.isEmpty else { return }
            failure?.help =
                "the server asks for \(schemes.sorted().joined(separator: " or ")), "
                + "and no credential of the session fits"
        }
    }

    /// Decides on a 401.
    ///
    /// - Parameters:
    ///   - challenges: What the response asks for.
    ///   - url: What was requested.
    ///   - didSend: Whether the request had an `Authorization`.
    /// - Returns: What comes next.
    mutating func answer(
        _ challenges: [Challenge],
        from url: HTTPURL,
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

    /// libcurl did not go on although it could have: what it carried is refused.
    mutating func giveUp(
        _ challenges: [Challenge],
        from url: HTTPURL,
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

    private mutating func next(_ challenges: [Challenge], _ url: HTTPURL) -> Answer {
        guard spent.count < Self.mostFailures, !isOverruled else { return .none }
        var best: (position: Int, strength: Int)?
        for (position, credential) in credentials.enumerated()
        where credential.space.contains(url.origin) && !spent.contains(position) {
            guard let strength = credential.strength, strength > best?.strength ?? -1,
                credential.answers(challenges)
            else { continue }
            best = (position, strength)
        }
        carried = best?.position
        return best.map { .credential($0.position) } ?? .none
    }

    /// Whether the 401 is a step of what is carried and not its end.
    private func isAnsweredByLibrary(_ challenges: [Challenge], didSend: Bool) -> Bool {
        guard let carried else { return false }
        switch credentials[carried].proof {
        case .ntlm: return challenges.contains { $0.scheme == "ntlm" && $0.token != nil }
        case .negotiate:
            return challenges.contains { $0.scheme == "negotiate" && $0.token != nil }
        case .digest:
            // The first request of a transfer may have no nonce yet.
            guard didSend else {
                return libraryAnswers == 0 && credentials[carried].answers(challenges)
            }
            return challenges.first { $0.scheme == "digest" }?.text("stale") == "true"
        default: return false
        }
    }

    /// Whether it carries an answer that holds on any connection.
    var carriesDigest: Bool { carried.map(isDigest) ?? false }

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
        case .netrc: "netrc"
        }
    }

    /// Whether it is part of every request to its servers.
    fileprivate var isSentUnasked: Bool {
        switch proof {
        case .bearer, .awsSigV4: true
        default: false
        }
    }

    /// Whether a request with a body carries it unasked, because the body would be sent twice
    /// otherwise.
    fileprivate var isSentWithBodies: Bool {
        if case .basic = proof { space.realm == nil } else { false }
    }

    /// Whether nothing is proved before the server has asked: what is known to be let in may be
    /// asked nothing elsewhere, and libcurl would send its request without the body.
    fileprivate var takesChallenge: Bool {
        switch proof {
        case .digest, .ntlm, .negotiate: true
        case .basic, .bearer, .awsSigV4, .clientCertificate, .netrc: false
        }
    }

    /// How well it keeps what it proves; nil for what does not answer challenges.
    fileprivate var strength: Int? {
        switch proof {
        case .basic: 0
        case .ntlm: 1
        case .digest: 2
        case .negotiate: 3
        case .bearer, .awsSigV4, .clientCertificate, .netrc: nil
        }
    }

    /// Whether it answers one of the challenges.
    fileprivate func answers(_ challenges: [Challenge]) -> Bool {
        switch proof {
        case .basic: challenges.contains { $0.scheme == "basic" && isFor($0) }
        case .ntlm: challenges.contains { $0.scheme == "ntlm" }
        case .negotiate: challenges.contains { $0.scheme == "negotiate" }
        case .digest:
            // libcurl reads the first one only.
            challenges.first { $0.scheme == "digest" }.map { isFor($0) && $0.isKnownDigest }
                ?? false
        case .bearer, .awsSigV4, .clientCertificate, .netrc: false
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

    /// Algorithms of RFC 7616 §6.1 that libcurl computes.
    private static let algorithms = ["md5", "md5-sess", "sha-256", "sha-256-sess"]

    /// Whether a Digest challenge can be answered; that of RFC 2069, without a quality of
    /// protection, can.
    fileprivate var isKnownDigest: Bool {
        guard self["nonce"] != nil, text("algorithm").map(Self.algorithms.contains) ?? true else {
            return false
        }
        guard let qualities = text("qop") else { return true }
        return qualities.split { $0 == "," || $0 == " " || $0 == "\t" }.contains("auth")
    }
}
