internal import TransferModel

/// How the running exchange's request is sent, besides the hop's own fields.
struct SentRequest {
    /// Whether libcurl reports received bytes; otherwise the delivered bytes count as received.
    var hearsTraffic = true
    /// The `Cookie` that the session has added.
    var cookies: String?
    /// Whether the next exchange is the same request with the answer to a challenge.
    var answersChallenge = false
    /// Whether the running exchange has begun with the answer to a challenge.
    private(set) var hasAnsweredChallenge = false

    /// The next exchange begins; only this one answers the last challenge.
    mutating func takeAnswersChallenge() -> Bool {
        hasAnsweredChallenge = answersChallenge
        answersChallenge = false
        return hasAnsweredChallenge
    }
}
