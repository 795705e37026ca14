internal import TransferModel

/// How the running exchange's request is sent, besides the hop's own fields.
struct SentRequest {
    /// Whether libcurl reports received bytes; otherwise the delivered bytes count as received.
    var hearsTraffic = true
    /// The `Cookie` that the session has added.
    var cookies: String?
    /// The fields that sign the request.
    var signature: [HeaderField] = []
    /// Whether the next exchange is the same request with the answer to a challenge.
    var answersChallenge = false
    /// Whether the running exchange has begun with the answer to a challenge.
    private(set) var hasAnsweredChallenge = false

    /// The request of the hop as it is sent, with the fields of an upload or of its signature:
    /// never both.
    func request(
        of hop: RequestSpec,
        _ upload: ActiveUpload?,
        _ caching: CachedExchange?
    ) -> RequestSpec {
        if let upload {
            let headers = hop.headers + upload.machine.fields
            return RequestSpec(method: hop.method, url: hop.url, headers: headers)
        }
        let added = caching?.addedFields ?? []
        if signature.isEmpty, added.isEmpty { return hop }
        return RequestSpec(
            method: hop.method,
            url: signature.isEmpty ? hop.url : hop.url.signable,
            headers: hop.headers + signature + added
        )
    }

    /// The next exchange begins; only this one answers the last challenge.
    mutating func takeAnswersChallenge() -> Bool {
        hasAnsweredChallenge = answersChallenge
        answersChallenge = false
        return hasAnsweredChallenge
    }
}
