/// What a request proves itself with: one scheme, never "any" (`CURLOPT_HTTPAUTH`).
package enum EasyAuthentication: Sendable, Hashable {
    /// Nothing yet: a challenge may come, and the next exchange of the handle answers it.
    case awaited
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case ntlm(user: String, password: String)
    /// With the ticket of the process.
    case negotiate
    case bearer(token: String)

    /// Whether it holds for a connection and not for a request.
    package var isConnectionBound: Bool {
        switch self {
        case .ntlm, .negotiate: true
        case .awaited, .basic, .digest, .bearer: false
        }
    }

    /// Whether libcurl may take several requests for it, so that the first ones go without their
    /// body.
    package var takesSeveralRequests: Bool {
        switch self {
        case .ntlm, .negotiate, .digest: true
        case .awaited, .basic, .bearer: false
        }
    }
}
