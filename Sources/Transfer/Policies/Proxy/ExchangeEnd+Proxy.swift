internal import CurlKit
internal import TransferModel

extension ExchangeEnd {
    /// What is known of a proxy that did not lead to the origin.
    struct Proxy {
        /// Without user and password.
        var url: String
        /// The status with which it answered the last CONNECT; nil when there was none, or it did
        /// not answer.
        var connectStatus: Int?
        /// The status of an informational answer to it.
        var informationalStatus: Int?
        /// What a SOCKS proxy said or did (`CURLproxycode`); 0 when nothing.
        var errorCode = 0
    }

    /// The status with which a proxy refused a tunnel; nil when it did not.
    ///
    /// A proxy that has asked who wants it may also leave or fall silent before libcurl could
    /// answer: only when it is the status that ended it do libcurl's words name it
    /// (`CONNECT tunnel failed, response 403`).
    var refusedTunnelStatus: Int? {
        guard let status = proxy?.connectStatus, !(200...299).contains(status),
            code.rawValue == 56, detail?.hasSuffix(" \(status)") ?? false
        else { return nil }
        return status
    }

    /// Whether what a proxy has answered to CONNECT cannot be read: libcurl then takes a field
    /// without a colon for a fault of ours (43), and of what is no answer at all says what it has
    /// made of an earlier one.
    private var isUnreadableAnswer: Bool {
        guard let proxy else { return false }
        return code.rawValue == 43
            || code.rawValue == 56 && proxy.connectStatus == nil
                && detail?.hasPrefix("CONNECT tunnel failed") ?? false
    }

    /// What happened, in words that say of a proxy's failure that it is one.
    var words: String {
        let words =
            isTooLarge
            ? "the response has a line, or more fields, than can be in good faith"
            : detail ?? code.message
        guard let proxy else { return words }
        if let status = refusedTunnelStatus {
            return "the proxy \(proxy.url) made no tunnel: it answered \(status)"
        }
        if let status = proxy.informationalStatus {
            return "the proxy \(proxy.url) sent \(status) before its answer, "
                + "which libcurl cannot take"
        }
        if isUnreadableAnswer {
            return "the proxy \(proxy.url): what it answers to being asked for a tunnel is no HTTP"
        }
        return "the proxy \(proxy.url): \(words)"
    }
}

extension TransferFailure {
    /// What the person may do about a proxy that refuses.
    static let proxyHelp =
        "look at the session's `proxy` or the environment's, and at its user and password"

    /// What a proxy's failure means; nil when it fails as any server would.
    static func row(for proxy: ExchangeEnd.Proxy, _ end: ExchangeEnd) -> Row? {
        if let status = end.refusedTunnelStatus { return refusedTunnel(status) }
        switch end.code.rawValue {
        case 43: return Row(kind: .protocolViolation, urlError: .badServerResponse)
        case 97: return refusedConnection(proxy.errorCode)
        // It has left in the middle of making a connection.
        case 52, 55, 56: return Row(kind: .connect, urlError: .cannotConnectToHost)
        default: return nil
        }
    }

    /// A proxy that wants other credentials, or nobody to go there, will not want it later.
    private static func refusedTunnel(_ status: Int) -> Row {
        let isPermanent =
            switch status {
            case 408, 425, 429: false
            case 300...499, 501, 505: true
            default: false
            }
        return Row(
            kind: .connect,
            urlError: status == 407
                ? .userAuthenticationRequired : .cannotConnectToHost,
            isPermanent: isPermanent
        )
    }

    /// The numbers of `CURLproxycode`, which are RFC 1928's replies and what goes wrong before
    /// them.
    private static func refusedConnection(_ code: Int) -> Row {
        switch code {
        // CURLPX_LONG_PASSWD, CURLPX_LONG_USER, CURLPX_NO_AUTH, CURLPX_USER_REJECTED.
        case 10, 11, 12, 33:
            Row(
                kind: .connect,
                urlError: .userAuthenticationRequired,
                isPermanent: true
            )
        // CURLPX_LONG_HOSTNAME, CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, …_COMMAND_NOT_SUPPORTED,
        // …_NOT_ALLOWED.
        case 9, 17, 18, 23:
            Row(kind: .connect, urlError: .cannotConnectToHost, isPermanent: true)
        // CURLPX_RESOLVE_HOST: the origin's, of a proxy that is given addresses.
        case 27: Row(kind: .resolve, urlError: .cannotFindHost)
        default: Row(kind: .connect, urlError: .cannotConnectToHost)
        }
    }
}
