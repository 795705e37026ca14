/// The authentication scheme of a request: always one, never "any" (`CURLOPT_HTTPAUTH`).
package enum EasyAuthentication: Sendable, Hashable {
    /// None yet: the next exchange of the handle answers a challenge.
    case awaited
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case ntlm(user: String, password: String)
    /// The ticket of the process.
    case negotiate
    case bearer(token: String)

    /// Whether the scheme authenticates a connection, not a request.
    package var isConnectionBound: Bool {
        switch self {
        case .ntlm, .negotiate: true
        case .awaited, .basic, .digest, .bearer: false
        }
    }

    /// Whether libcurl may need several requests, the first ones without their body.
    package var takesSeveralRequests: Bool {
        switch self {
        case .ntlm, .negotiate, .digest: true
        case .awaited, .basic, .bearer: false
        }
    }
}
