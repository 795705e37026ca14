internal import TransferModel

/// The policies of an attempt, in the order in which they decide about an exchange.
///
/// Those that an attempt does not use are nil.
struct ExchangePolicies {
    /// Over which connection, and in which version of HTTP, the hop's request leaves.
    var connection: ConnectionPolicy
    /// Decides on the way by a proxy.
    var proxy = ProxyPolicy()
    /// Decides on the exchange's way; nil where every interface will do.
    var path: PathPolicy?
    /// Whether the body waits for an answer to the head.
    var bodyHold = BodyHold()
    /// nil when the session has no credentials.
    var authentication: Authentication?
    /// Resumes and keeps parts of the file.
    var part: PartPolicy
    /// nil when the body would be sent anew after a cut.
    var upload: ActiveUpload?
    /// nil when the session or the task has no cache.
    let caching: CachedExchange?
    /// The redirects that led to the hop.
    var redirects = RedirectTrail()

    init(
        for request: borrowing AttemptRequest,
        of session: SessionTransport,
        keeper: PartialKeeper,
        at now: MonotonicTime
    ) {
        connection = ConnectionPolicy(resolvesAnew: request.resolvesAnew)
        // A stream has no version of HTTP that the server could choose.
        if request.webSocket != nil || request.stream != nil { connection.keepToHTTP1() }
        let credentials = session.configuration.credentials
        authentication =
            credentials.isEmpty || request.stream != nil || request.request.url.isOfFileServer
            ? nil : Authentication(credentials, sendsItself: request.webSocket != nil)
        part = PartPolicy(keeper, session, startTime: now)
        caching = CachedExchange.make(for: request, of: session)
    }
}
