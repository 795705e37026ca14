internal import CurlKit
internal import SystemKit
internal import TransferModel

extension ExchangeEnd {
    /// The facts about a proxy that did not lead to the origin.
    struct Proxy {
        /// The proxy's URL without user and password.
        var url: String
        /// The status of the response to the last CONNECT; nil without a CONNECT or without a
        /// response.
        var connectStatus: Int?
        /// The status of an informational response to that CONNECT.
        var informationalStatus: Int?
        /// The error of a SOCKS proxy (`CURLproxycode`); 0 for none.
        var errorCode = 0
    }

    /// The status with which a proxy refused a tunnel; nil when it did not.
    ///
    /// A proxy that sent a challenge may also disconnect or fall silent before libcurl answers.
    /// Only when the status itself ended the exchange does libcurl's message contain it (`CONNECT
    /// tunnel failed, response 403`).
    var refusedTunnelStatus: Int? {
        guard let status = proxy?.connectStatus, !(200...299).contains(status),
            code.rawValue == 56, detail?.hasByteSuffix(" \(status)") ?? false
        else { return nil }
        return status
    }

    /// Whether the proxy's response to CONNECT is unreadable.
    ///
    /// libcurl takes a field without a colon for an error of ours (43). For a text that is no
    /// response at all, it reports the result of an earlier response.
    private var isUnreadableAnswer: Bool {
        guard let proxy else { return false }
        return code.rawValue == 43
            || code.rawValue == 56 && proxy.connectStatus == nil
                && detail?.hasBytePrefix("CONNECT tunnel failed") ?? false
    }

    /// The description of the end, which names the proxy when the proxy failed.
    func words(of kind: TransferFailure.Kind) -> String {
        guard let proxy else { return ownWords(of: kind) }
        if let status = refusedTunnelStatus {
            return "the proxy \(proxy.url) opened no tunnel: it answered \(status)"
        }
        if let status = proxy.informationalStatus {
            return "the proxy \(proxy.url) sent \(status) before its answer, "
                + "which libcurl does not support"
        }
        if isUnreadableAnswer {
            return "the proxy \(proxy.url) answered CONNECT with something that is not HTTP"
        }
        return "the proxy \(proxy.url): \(ownWords(of: kind))"
    }

    /// The end in the runner's words; those of libcurl follow where they say more.
    private func ownWords(of kind: TransferFailure.Kind) -> String {
        if isTooLarge { return "the response has a line that is too long, or too many fields" }
        if isClosedAtOnce { return "the connection was closed as soon as it was made" }
        switch (kind, code.rawValue) {
        case (.resolve, 5...6):
            return "no address was found for \(proxy == nil ? host : "its host")"
        case (.connect, 7):
            let reason = osErrno.map { SystemError.text(of: Int32(truncatingIfNeeded: $0)) }
            return "no connection\(proxy == nil ? " to \(address)" : ""): \(reason ?? foreignWords)"
        case (.tls, _): return "the TLS handshake failed: \(foreignWords)"
        case (_, 52): return "the connection was closed without a response"
        case (.reset, 55...56), (.connect, 55...56):
            return "the connection was lost: \(foreignWords)"
        case (.reset, _): return "the stream broke off: \(foreignWords)"
        case (.truncated, 18):
            let number = detail?.splitAtBytes(" ").lazy.compactMap { Int64($0) }.first
            guard let number else { return "the body ended early" }
            // For a file server, libcurl reports the number of received bytes.
            let isReceived = detail?.hasBytePrefix("Received only partial file") == true
            return "the body ended \(isReceived ? "after" : "with") \(number) bytes"
                + (isReceived ? "" : " missing")
        case (.truncated, _): return "the body ended early: \(foreignWords)"
        case (.protocolViolation, 1) where detail?.contains("HTTP/0.9") == true:
            return Self.noResponse
        case (.protocolViolation, _): return "the response cannot be read: \(foreignWords)"
        default: return "libcurl reports: \(foreignWords)"
        }
    }

    /// The message about bytes that are no HTTP response.
    static let noResponse = "the server's bytes are not an HTTP response"

    /// Whether libcurl's message is only about a system call on a connection that has ended.
    private var isClosedAtOnce: Bool {
        ["getpeername()", "getsockname()"].contains { detail?.hasBytePrefix($0) == true }
    }

    /// libcurl's message, without the name of its operation.
    private var foreignWords: String {
        let words = detail ?? code.message
        let reason =
            words.withoutBytePrefix("Recv failure: ") ?? words.withoutBytePrefix("Send failure: ")
        return reason.map(String.init) ?? words
    }
}

extension ExchangeEnd {
    /// The advice for the user about a proxy that failed; nil for the usual advice.
    func helpAboutProxy(_ failure: TransferFailure) -> String? {
        guard let proxy, failure.kind == .connect else { return nil }
        guard failure.isPermanent else {
            return failure.osErrno == 111
                ? "check the proxy's host and port; the proxy may not be running" : nil
        }
        if failure.urlError == .userAuthenticationRequired { return TransferFailure.proxyHelp }
        // CURLPX_REPLY_NOT_ALLOWED.
        if [403, 451].contains(refusedTunnelStatus) || proxy.errorCode == 23 {
            return "the proxy forbids this host: ask the proxy's owner"
        }
        return "check the proxy in the session or the environment, or ask its owner"
    }
}

extension TransferFailure {
    /// The advice for the user about a proxy that wants other credentials.
    static let proxyHelp =
        "check the proxy in the session or the environment, its user and its password"

    /// The classification of a proxy's failure; nil when the proxy failed like any server.
    static func row(for proxy: ExchangeEnd.Proxy, _ end: ExchangeEnd) -> Row? {
        if let status = end.refusedTunnelStatus { return refusedTunnel(status) }
        switch end.code.rawValue {
        case 43: return Row(kind: .protocolViolation, urlError: .badServerResponse)
        case 97: return refusedConnection(proxy.errorCode)
        // The proxy closed the connection while it was being made.
        case 52, 55, 56: return Row(kind: .connect, urlError: .cannotConnectToHost)
        default: return nil
        }
    }

    /// A proxy that demands other credentials or forbids the destination will do so again later.
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

    /// Classifies the numbers of `CURLproxycode`, which are the replies of RFC 1928 and errors
    /// before them.
    private static func refusedConnection(_ code: Int) -> Row {
        switch code {
        // CURLPX_LONG_PASSWD, CURLPX_LONG_USER, CURLPX_NO_AUTH, CURLPX_USER_REJECTED.
        case 10, 11, 12, 33:
            Row(kind: .connect, urlError: .userAuthenticationRequired, isPermanent: true)
        // CURLPX_LONG_HOSTNAME, CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, …_COMMAND_NOT_SUPPORTED,
        // …_NOT_ALLOWED.
        case 9, 17, 18, 23:
            Row(kind: .connect, urlError: .cannotConnectToHost, isPermanent: true)
        // CURLPX_RESOLVE_HOST: the origin's name, for a proxy that gets addresses.
        case 27: Row(kind: .resolve, urlError: .cannotFindHost)
        default: Row(kind: .connect, urlError: .cannotConnectToHost)
        }
    }
}
