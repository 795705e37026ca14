internal import CurlKit

/// The state of the dialogue between an exchange and a proxy that demands a login.
///
/// libcurl answers a challenge by itself, within the exchange, with two exceptions. An exchange
/// without a login asks for the challenge before it sends its body. And a proxy may no longer know
/// an earlier challenge without calling it `stale` (RFC 7616 §3.3). In both cases another exchange
/// follows.
struct ProxyDialogue {
    /// The exchange after a challenge.
    enum Sequel {
        /// The same request with the answer; libcurl keeps the challenge for it.
        case answer
        /// The same request as if the proxy had never sent a challenge.
        case renewal
    }

    /// Whether the exchange is sent without a login and holds its body back.
    private(set) var asksFirst = false
    /// The number of challenges since the dialogue began anew.
    private(set) var questions = 0
    /// nil while libcurl may answer, or when the last challenge ends the dialogue.
    private(set) var sequel: Sequel?
    /// Whether libcurl can answer the proxy's next challenge too.
    private(set) var hasAnswered = false
    private var hasRenewed = false
    /// Whether the proxy sent an answerable challenge, and no request was sent since.
    private var isAsked = false
    /// Whether the last request had a login.
    private var hasLogin = false
    /// Whether that login answered the challenge just before it, and not one of an earlier exchange
    /// or connection.
    private var isAnswer = false

    /// The dialogue of the next exchange.
    ///
    /// - Parameters:
    ///   - canAsk: Whether the exchange may be sent without a login, to get a challenge.
    ///   - keepsChallenge: Whether libcurl keeps the earlier challenge.
    /// - Returns: A new dialogue with the results of this one.
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

    /// Notes that a request was sent, with or without a login.
    mutating func didSend(hasLogin: Bool) {
        self.hasLogin = hasLogin
        isAnswer = hasLogin && isAsked
        if isAnswer { hasAnswered = true }
        isAsked = false
        sequel = nil
    }

    /// Takes a challenge.
    ///
    /// - Parameters:
    ///   - challenges: The challenges of the proxy; not every 407 demands a login.
    ///   - method: The configured authentication scheme.
    /// - Returns: Whether the challenge that libcurl keeps was useless and must be dropped.
    mutating func didAsk(_ challenges: [Challenge], _ method: EasyProxy.Authentication) -> Bool {
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
    /// The scheme's name in a challenge, in lower case.
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
