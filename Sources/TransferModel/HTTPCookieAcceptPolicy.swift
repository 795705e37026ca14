/// Which cookies of responses a session keeps (`HTTPCookie.AcceptPolicy`).
package enum HTTPCookieAcceptPolicy: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// Only those of the site that the task asked first.
    case onlyFromMainDocumentDomain
}
