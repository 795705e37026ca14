internal import CurlKit

/// What has passed between an exchange and a proxy that wants to know who asks.
///
/// libcurl answers a question by itself, within the exchange, except for two: that of an exchange
/// without a login, which asks before its body leaves; and that of a proxy which no longer knows an
/// earlier challenge and does not call it `stale` (RFC 7616 §3.3). Another exchange follows these.
struct ProxyDialogue {
    /// The exchange that follows a question.
    enum Sequel {
        /// The same request with the answer, for which libcurl keeps the challenge.
        case answer
        /// The same request as if the proxy had never asked.
        case renewal
    }

    /// Whether the exchange goes without a login, and with its body held back.
    private(set) var asksFirst = false
    /// How often the proxy has asked, since nothing was known of it.
    private(set) var questions = 0
    /// nil while libcurl may answer, or when the last question is the end.
    private(set) var sequel: Sequel?
    /// Whether libcurl has what answers the proxy's next question, too.
    private(set) var hasAnswered = false
    private var hasRenewed = false
    /// Whether the proxy has asked for what can be answered, and no request has left since.
    private var isAsked = false
    /// Whether the last request has a login.
    private var hasLogin = false
    /// Whether that answers the question just before it, and not one of an earlier exchange or
    /// connection.
    private var isAnswer = false

    /// That of the exchange which comes next.
    ///
    /// - Parameters:
    ///   - canAsk: Whether it may go without a login, to be asked.
    ///   - keepsChallenge: Whether libcurl keeps what it was asked so far.
    /// - Returns: A new one, which knows what this one has come to.
    func next(canAsk: Bool, keepsChallenge: Bool) -> ProxyDialogue {
        var next = ProxyDialogue()
        switch sequel {
        case .answer:
            next.questions = questions
            next.hasRenewed = hasRenewed
            next.isAsked = isAsked
        case .renewal:
            next.hasRenewed = true
            next.asksFirst = canAsk
        case nil:
            next.hasAnswered = keepsChallenge && hasAnswered
            next.asksFirst = canAsk && !next.hasAnswered
        }
        return next
    }

    /// Notes that a request has left, with a login or without.
    mutating func didSend(hasLogin: Bool) {
        self.hasLogin = hasLogin
        isAnswer = hasLogin && isAsked
        if isAnswer { hasAnswered = true }
        isAsked = false
        sequel = nil
    }

    /// Takes a question.
    ///
    /// - Parameters:
    ///   - challenges: What the proxy asks for; not all 407s are about who asks.
    ///   - method: The one that is spoken.
    /// - Returns: Whether what libcurl keeps of the proxy was of no use, and is to be forgotten.
    mutating func didAsk(
        _ challenges: [Challenge],
        _ method: EasyProxy.Authentication
    ) -> Bool {
        questions += 1
        guard let challenge = challenges.first(where: { $0.scheme == method.scheme }) else {
            return false
        }
        isAsked = true
        guard hasLogin else {
            if asksFirst { sequel = .answer }
            return false
        }
        guard method == .digest, challenge.text("stale") != "true" else { return false }
        if !isAnswer, !hasRenewed { sequel = .renewal }
        return true
    }
}

extension EasyProxy.Authentication {
    /// Its name in a challenge, in lower case.
    fileprivate var scheme: String {
        switch self {
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .awaited: ""
        }
    }
}
