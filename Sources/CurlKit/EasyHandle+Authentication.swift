internal import CCurl

extension EasyHandle {
    /// Sets what the next exchange proves itself with, and takes back what another one did.
    func setAuthentication(_ authentication: EasyAuthentication?) throws(CurlCode) {
        let scheme: Int
        var login: (user: String, password: String)?
        var token: String?
        switch authentication {
        case nil: scheme = 0
        case .awaited:
            scheme = 0
            // Only with a user does libcurl take note that a challenge is dealt with: otherwise it
            // passes over the one that says that a nonce is stale.
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
            // Without a user libcurl proves nothing; the ticket has another one.
            login = ("", "")
        case .bearer(let text):
            scheme = CCURL_AUTH_BEARER
            token = text
        }
        try setLong(CURLOPT_HTTPAUTH, scheme)
        try setString(CURLOPT_USERNAME, login?.user)
        try setString(CURLOPT_PASSWORD, login?.password)
        try setString(CURLOPT_XOAUTH2_BEARER, token)
        // libcurl may hand a connection that is authenticated by a ticket to a request without one.
        let isBound = authentication?.isConnectionBound == true
        try setLong(CURLOPT_FORBID_REUSE, isBound ? 1 : 0)
    }
}
