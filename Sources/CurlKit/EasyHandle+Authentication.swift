internal import CCurl

extension EasyHandle {
    /// Sets the next exchange's credentials and removes those of the previous one.
    func setAuthentication(_ authentication: EasyAuthentication?) throws(CurlCode) {
        let scheme: Int
        var login: (user: String, password: String)?
        var token: String?
        switch authentication {
        case nil: scheme = 0
        case .awaited:
            scheme = 0
            // Only with a user does libcurl recognize that a challenge was handled; otherwise it
            // ignores the report of a stale nonce.
            login = ("", "")
        case .basic(let user, let password):
            scheme = CCURL_AUTH_BASIC
            login = (user, password)
        case .digest(let user, let password):
            scheme = CCURL_AUTH_DIGEST
            login = (user, password)
        case .ntlm(let user, let password):
            scheme = CCURL_AUTH_NTLM
            login = (user, password)
        case .negotiate:
            scheme = CCURL_AUTH_NEGOTIATE
            // Without a user libcurl does not authenticate; the ticket has its own user.
            login = ("", "")
        case .bearer(let text):
            scheme = CCURL_AUTH_BEARER
            token = text
        }
        try setLong(CURLOPT_HTTPAUTH, scheme)
        try setString(CURLOPT_USERNAME, login?.user)
        try setString(CURLOPT_PASSWORD, login?.password)
        try setString(CURLOPT_XOAUTH2_BEARER, token)
        // libcurl may reuse a connection authenticated by a ticket for a request without one.
        let isBound = authentication?.isConnectionBound == true
        try setLong(CURLOPT_FORBID_REUSE, isBound ? 1 : 0)
    }
}
