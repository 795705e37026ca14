internal import CurlKit
internal import SystemKit

/// Decides the connection and the version of HTTP for the hop's request, and whether to send the
/// request again when libcurl gave the exchange up.
///
/// A value without I/O: the demands of the session and the request are passed in.
struct ConnectionPolicy {
    /// The demands of the session and the hop's request on a connection.
    struct Demand {
        /// The newest version of HTTP that the session offers the origin.
        var newestVersion: HTTPProtocol
        /// Whether the request needs a connection of its own: it must not arrive twice, or is for a
        /// part of a file whose other parts come over other connections.
        var isAlone = false
        /// Whether the request is part of a resumable upload.
        var isUpload = false
    }

    /// The idle connections that were refused before a byte of the running exchange's request was
    /// sent: the exchange then begins again on a new connection, which is neither another request
    /// nor a retry.
    private var refusals = 0
    /// The most refusals in one exchange: when libcurl answers a challenge by itself, it takes an
    /// idle connection regardless of its options.
    private static let mostRefusals = 8
    /// Whether the running transfer was stopped because of a refusal.
    private var isRefused = false
    /// Whether the hop's request was sent again because libcurl gave it up.
    private(set) var isResent = false
    /// Whether the hop offers every version of HTTP of its session, because the server chose none
    /// of the fewer versions that such a request otherwise offers.
    private(set) var offersAllVersions = false
    /// Whether the hop's request leaves over HTTP/1.1, because nothing vouched for the end of the
    /// body of an earlier response.
    private(set) var keepsToHTTP1 = false
    /// Whether the running exchange was given up before its request was sent, because no version
    /// was chosen.
    private(set) var lacksVersion = false
    /// Whether the server chose no version of HTTP when the running exchange's connection was made.
    private(set) var hasUnchosenVersion = false
    /// The `errno` of the sockets when a new connection was ready, which comes from an unreachable
    /// address.
    private var osErrnoOfConnecting: Int?
    /// Whether the previous attempt failed to connect, perhaps on another thread.
    private var resolvesAnew: Bool

    init(resolvesAnew: Bool) {
        self.resolvesAnew = resolvesAnew
    }

    /// Prepares for a request to another URL.
    mutating func beginHop() {
        offersAllVersions = false
        isResent = false
        keepsToHTTP1 = false
    }

    /// The hop's request is to leave once more, over HTTP/1.1 whatever the session offers.
    mutating func keepToHTTP1() { keepsToHTTP1 = true }

    /// Prepares for another leg of a resumable upload at the same origin.
    mutating func beginLeg() { isResent = false }

    /// Prepares for sending the hop's request, perhaps not for the first time.
    mutating func beginExchange() {
        (refusals, isRefused) = (0, false)
        hasUnchosenVersion = false
    }

    /// Refuses an idle connection for the running exchange; false when too many were refused.
    mutating func refuseReuse() -> Bool {
        guard refusals < Self.mostRefusals else { return false }
        refusals += 1
        isRefused = true
        return true
    }

    /// Notes that libcurl has ended the exchange; returns whether a refusal was the reason, so that
    /// the exchange begins again.
    mutating func takeRefusal() -> Bool {
        defer { isRefused = false }
        return isRefused
    }

    /// Notes that a new connection is ready, with the `errno` of the sockets.
    mutating func didConnect(osErrno: Int?) { osErrnoOfConnecting = osErrno }

    /// Whether the request must not use an idle connection, because of earlier events in the hop.
    var requiresFreshConnection: Bool {
        isResent || offersAllVersions || refusals > 0
    }

    /// The newest version of HTTP that the hop offers.
    ///
    /// A request that must not be sent twice has a connection of its own, which only HTTP/1.1
    /// ensures. On a connection with streams, libcurl would let other requests join, treat it as
    /// reused, and repeat the request when it dies. A server without HTTP/1.1 gets the request
    /// anyway, over a new connection, and the attempt prevents libcurl from repeating it.
    /// Parts of a file that shared a connection would share its speed, too.
    func version(for demand: Demand) -> HTTPProtocol {
        guard !offersAllVersions else { return demand.newestVersion }
        // libcurl reports informational responses unreliably over connections with streams.
        guard !demand.isUpload else { return .http1 }
        return demand.isAlone ? .http1 : demand.newestVersion
    }

    /// Whether the session has a newer version of HTTP than the running exchange offers.
    private func mayOfferMore(_ demand: Demand) -> Bool {
        version(for: demand) == .http1 && demand.newestVersion != .http1
    }

    /// Whether a request may use a new connection whose server chose none of the offered versions
    /// of HTTP.
    ///
    /// The server may lack HTTP/1.1: if the session can offer more, the exchange is given up before
    /// anything is sent.
    ///
    /// - Parameters:
    ///   - demand: The demands of the request.
    ///   - isKnown: Whether the origin is known to answer by HTTP/1.x without choosing it.
    /// - Returns: Whether to send the request; otherwise `resend` offers the other versions.
    mutating func mayUseUnchosenVersion(_ demand: Demand, isKnown: Bool) -> Bool {
        guard mayOfferMore(demand), !isKnown else {
            hasUnchosenVersion = true
            return true
        }
        lacksVersion = true
        return false
    }

    /// Whether an exchange failed only because the server chose no offered version, although the
    /// session has others; nothing was sent then.
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

    /// Whether to repeat a repeatable request after several connections ended or refused it before
    /// a byte of a response.
    ///
    /// A server that retires its connections (GOAWAY, RFC 9113 §6.8) or refuses streams (§8.7) has
    /// not processed the request. libcurl repeats it over the next connection, five times; with
    /// many waiting streams, some fail each time. Before 8.0, libcurl does not repeat a request
    /// that GOAWAY leaves out.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - detail: libcurl's message.
    ///   - detectsCuts: Whether libcurl reports each stream that GOAWAY has cut.
    /// - Returns: Whether `resend` may follow.
    func mayResend(after code: CurlCode, detail: String?, detectsCuts: Bool) -> Bool {
        guard !isResent else { return false }
        // CURLE_HTTP2, which has a message if the frames were invalid.
        if code.rawValue == 16, detail == nil { return !detectsCuts }
        // CURLE_SEND_ERROR, CURLE_RECV_ERROR.
        return [55, 56].contains(code.rawValue)
            && detail?.hasBytePrefix("Connection died, tried") ?? false
    }

    /// Notes that the request is sent again, over a new connection.
    mutating func resend() {
        if lacksVersion { offersAllVersions = true } else { isResent = true }
        lacksVersion = false
    }

    /// The `errno` that made libcurl end the exchange with a code; nil for none.
    ///
    /// Only a failed connect, send or receive has one, and a connect that timed out in the kernel
    /// (110).
    func osErrno(behind code: CurlCode, last: Int?, hasBegunRequest: Bool) -> Int? {
        switch code.rawValue {
        case 7, 45: last
        case 28 where !hasBegunRequest: last == 110 ? last : nil
        case 55, 56: last == osErrnoOfConnecting ? nil : last
        default: nil
        }
    }

    /// Whether the next request looks up its host anew, because the last connection to it failed;
    /// true once for each failure.
    ///
    /// Otherwise libcurl would keep useless addresses for a minute, longer than most tasks are
    /// tried.
    ///
    /// - Parameter isUnreached: Whether another attempt of the session failed to connect to the
    ///   host.
    /// - Returns: Whether libcurl must forget the host's addresses.
    mutating func takeResolvesAnew(isUnreached: Bool) -> Bool {
        defer { resolvesAnew = false }
        return isUnreached || resolvesAnew
    }
}
