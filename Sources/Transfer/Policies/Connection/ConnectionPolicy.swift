internal import CurlKit

/// Decides over which connection, and in which version of HTTP, the hop's request leaves, and
/// whether it leaves once more when libcurl has given the exchange up.
///
/// A value without I/O: what the session and the request demand is passed in.
struct ConnectionPolicy {
    /// What the session and the hop's request demand of a connection.
    struct Demand {
        /// The newest version of HTTP that the session offers the origin.
        var newestVersion: HTTPProtocol
        /// Whether the request may arrive only once, so that it needs a connection of its own.
        var isSentOnce = false
        /// Whether the request is a part of a resumable upload.
        var isUpload = false
    }

    /// Idle connections that were refused before a byte of the running exchange's request had left.
    var refusedReuse = RefusedReuse()
    /// Whether the hop's request has left once more because libcurl had given it up.
    private(set) var isResent = false
    /// Whether the hop offers every version of HTTP that its session has, because the server chose
    /// none of the fewer that such a request offers otherwise.
    private(set) var offersAllVersions = false
    /// Whether the running exchange was given up before its request left, for want of a version.
    private(set) var lacksVersion = false
    /// Whether the server has chosen no version of HTTP when the running exchange's connection was
    /// made.
    private(set) var hasUnchosenVersion = false
    /// The `errno` of the sockets when a new connection was ready: that of an unreachable address.
    var osErrnoOfConnecting: Int?
    /// Whether the attempt before this one failed to connect, perhaps on another thread.
    private var resolvesAnew: Bool

    init(resolvesAnew: Bool) {
        self.resolvesAnew = resolvesAnew
    }

    /// Another URL is requested.
    mutating func beginHop() {
        offersAllVersions = false
        isResent = false
    }

    /// Another leg of a resumable upload is requested at the same origin.
    mutating func beginLeg() { isResent = false }

    /// The hop's request is to leave, perhaps not for the first time.
    mutating func beginExchange() {
        refusedReuse = RefusedReuse()
        hasUnchosenVersion = false
    }

    /// Whether the request must not go over an idle connection, for the sake of what has happened
    /// to the hop so far.
    var requiresFreshConnection: Bool {
        isResent || offersAllVersions || refusedReuse.requiresFreshConnection
    }

    /// The newest version of HTTP that the hop offers.
    ///
    /// A request that must not be sent twice has a connection of its own, which HTTP/1.1 alone
    /// warrants: libcurl would let others join a connection with streams, take it for a reused one,
    /// and send the request again when it dies. A server without HTTP/1.1 gets the request all the
    /// same, and the attempt keeps libcurl from sending it again.
    func version(for demand: Demand) -> HTTPProtocol {
        guard !offersAllVersions else { return demand.newestVersion }
        // libcurl reports informational responses unreliably over connections with streams.
        guard !demand.isUpload else { return .http1 }
        return demand.isSentOnce ? .http1 : demand.newestVersion
    }

    /// Whether the session has a newer version of HTTP than the running exchange offers.
    private func mayOfferMore(_ demand: Demand) -> Bool {
        version(for: demand) == .http1 && demand.newestVersion != .http1
    }

    /// Whether a request may go over a new connection whose server chose none of the versions of
    /// HTTP that it was offered.
    ///
    /// The server may lack HTTP/1.1: where the session has more to offer, the exchange is given up
    /// before anything is sent.
    ///
    /// - Parameters:
    ///   - demand: What the request demands.
    ///   - isKnown: Whether the origin is known to answer by HTTP/1.x without choosing it.
    /// - Returns: Whether the request may leave; otherwise `resend` offers the other versions.
    mutating func mayUseUnchosenVersion(_ demand: Demand, isKnown: Bool) -> Bool {
        guard mayOfferMore(demand), !isKnown else {
            hasUnchosenVersion = true
            return true
        }
        lacksVersion = true
        return false
    }

    /// Whether a failed exchange is for want of a version of HTTP that the session has; nothing was
    /// sent then.
    mutating func lacksVersion(_ demand: Demand, after code: CurlCode, detail: String?) -> Bool {
        guard !offersAllVersions else { return false }
        // CURLE_SSL_CONNECT_ERROR.
        if code.rawValue == 35, mayOfferMore(demand),
            detail?.contains("no application protocol") ?? false
        {
            lacksVersion = true
        }
        return lacksVersion
    }

    /// Whether a request that may be repeated leaves once more: several connections have ended, or
    /// refused it, before a byte of an answer.
    ///
    /// A server that retires its connections (GOAWAY, RFC 9113 §6.8) or refuses streams (§8.7) has
    /// not processed the request. libcurl sends it again over the next connection, five times;
    /// where many streams wait, some are too late each time.
    func mayResend(after code: CurlCode, detail: String?) -> Bool {
        // CURLE_SEND_ERROR, CURLE_RECV_ERROR.
        !isResent && [55, 56].contains(code.rawValue)
            && detail?.hasPrefix("Connection died, tried") ?? false
    }

    /// The request leaves once more, over a new connection.
    mutating func resend() {
        if lacksVersion { offersAllVersions = true } else { isResent = true }
        lacksVersion = false
    }

    /// The `errno` that made libcurl end the exchange with a code; nil when it was none.
    ///
    /// Only a failed connect, send or receive leaves one behind, and a connect that took the kernel
    /// too long (110).
    func osErrno(behind code: CurlCode, last: Int?, hasBegunRequest: Bool) -> Int? {
        switch code.rawValue {
        case 7, 45: last
        case 28 where !hasBegunRequest: last == 110 ? last : nil
        case 55, 56: last == osErrnoOfConnecting ? nil : last
        default: nil
        }
    }

    /// Whether the next request looks its host up, because the last connection to it failed; true
    /// once for each failure.
    ///
    /// Otherwise libcurl would keep addresses that lead nowhere for a minute, longer than most
    /// tasks are tried.
    ///
    /// - Parameter isUnreached: Whether another attempt of the session failed to connect to the
    ///   host.
    /// - Returns: Whether libcurl is to forget the host's addresses.
    mutating func takeResolvesAnew(isUnreached: Bool) -> Bool {
        defer { resolvesAnew = false }
        return isUnreached || resolvesAnew
    }
}
