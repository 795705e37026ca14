internal import CurlKit
internal import TransferModel

// What libcurl gives up although nothing has gone wrong with the request.
extension Attempt {
    /// Whether the request goes out once more: several connections have ended, or refused it, before a byte of an answer.
    ///
    /// A server that retires its connections (GOAWAY, RFC 9113 §6.8) or refuses streams (§8.7) has not processed what libcurl then
    /// sends again over the next one, five times. Where many streams wait for that, some come too late each time.
    func mayResend(after code: CurlCode) -> Bool {
        if !hasFailed, head == nil, isOfferedTooLittle(code) { return true }
        guard !hasFailed, !isResent, head == nil, !isStream else { return false }
        // Whatever the server has seen of it, it may see it again.
        guard request.resending.allows(hop) else { return false }
        return [55, 56].contains(code.rawValue)
            && handle.errorDetail?.hasPrefix("Connection died, tried") ?? false
    }

    /// Whether the server wants another version of HTTP than was offered, and the session has one; nothing was sent.
    private func isOfferedTooLittle(_ code: CurlCode) -> Bool {
        guard !offersAllVersions else { return false }
        if code.rawValue == 35, mayOfferMore,
            handle.errorDetail?.contains("no application protocol") ?? false
        {
            lacksVersion = true
        }
        return lacksVersion
    }

    /// Sends the request once more over a new connection, before others that will share it.
    func resend() -> Next {
        if lacksVersion { offersAllVersions = true } else { isResent = true }
        lacksVersion = false
        return exchange(.transparentRetry)
    }
}
