/// Which cookies a session keeps from responses (`HTTPCookie.AcceptPolicy`).
package enum HTTPCookieAcceptPolicy: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// Only cookies of the site in the task's first request.
    case onlyFromMainDocumentDomain
}
