internal import SystemKit
package import TransferModel

/// A stored cookie of a session (RFC 6265bis §5.7).
package struct Cookie: Sendable, Hashable {
    /// The name, case-sensitive; may be empty.
    package var name: String
    /// The value as received.
    package var value: String
    /// In lower case, without a leading dot: the host that set it or a parent domain.
    package var domain: String
    /// The prefix of the paths whose requests get the cookie (RFC 6265bis §5.1.4).
    package var path: String
    /// Whether only this exact host gets the cookie.
    package var isHostOnly: Bool
    /// Whether only confidential origins get the cookie.
    package var isSecure: Bool
    /// Whether browsers hide the cookie from scripts; kept for the file only.
    package var isHTTPOnly: Bool
    /// The cross-site policy for browsers; kept for the file only.
    package var sameSite: SetCookie.SameSite
    /// nil for a session cookie, which ends with the run.
    package var expiryTime: Timestamp?
    /// The origin that set the cookie.
    package var source: Origin
    /// Whether only `source` gets the cookie, because it contains a secret of the job; such a
    /// cookie is never written to disk.
    package var isConfined = false
    /// The creation time of the first cookie with that name and scope.
    package var creationTime: Timestamp
    /// The time of the last change.
    package var modificationTime: Timestamp
    /// The time of the last request with the cookie.
    package var lastAccessTime: Timestamp

    /// The longest lifetime of a cookie from when it was set (RFC 6265bis §5.5), microseconds.
    static let maximumLifetime: Int64 = 400 * 86_400 * 1_000_000

    /// Makes the cookie of a field by steps 5 to 22 of the storage model; nil when the cookie must
    /// be ignored.
    ///
    /// - Parameters:
    ///   - field: The field of the response.
    ///   - url: The requested URL.
    ///   - suffixes: The domains without a single owner.
    ///   - now: When the response arrived.
    package init?(
        _ field: SetCookie,
        from url: TransferURL,
        suffixes: PublicSuffixes,
        at now: Timestamp
    ) {
        let host = url.origin.host
        guard let domain = Self.domain(of: field, host: host, suffixes) else { return nil }
        name = field.name
        value = field.value
        isHostOnly = domain.isEmpty
        self.domain = domain.isEmpty ? host : domain
        path = field.path.isEmpty ? CookieScope.defaultPath(of: url.sentPath) : field.path
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        sameSite = field.sameSite
        expiryTime = Self.expiryTime(of: field, at: now)
        source = url.origin
        creationTime = now
        modificationTime = now
        lastAccessTime = now

        if isSecure, !url.origin.isConfidential { return nil }
        if sameSite == .none, !isSecure { return nil }
        guard keepsPromise(of: field) else { return nil }
    }

    /// The domain of a cookie, empty for its host alone; nil when the host may not set the cookie.
    private static func domain(
        of field: SetCookie,
        host: String,
        _ suffixes: PublicSuffixes
    ) -> String? {
        let domain = field.domain
        if domain.isEmpty { return "" }
        guard CookieScope.isDomain(domain), CookieScope.isName(host) else {
            return domain.hasSameBytes(as: host) ? "" : nil
        }
        guard CookieScope.host(host, matches: domain) else { return nil }
        // A public suffix such as `github.io` may also be a host.
        guard suffixes.contains(domain) else { return domain }
        return domain.hasSameBytes(as: host) ? "" : nil
    }

    private static func expiryTime(of field: SetCookie, at now: Timestamp) -> Timestamp? {
        let latest = now + maximumLifetime
        if let age = field.maximumAge {
            guard age > 0 else { return .distantPast }
            return age < maximumLifetime / 1_000_000 ? now + age * 1_000_000 : latest
        }
        return field.expires.map { min($0, latest) }
    }

    /// Whether the cookie satisfies the prefix of its name, or of its value if it has no name.
    private func keepsPromise(of field: SetCookie) -> Bool {
        if name.isEmpty {
            return !value.hasPrefixIgnoringCase("__secure-")
                && !value.hasPrefixIgnoringCase("__host-")
        }
        if name.hasPrefixIgnoringCase("__secure-") { return isSecure }
        guard name.hasPrefixIgnoringCase("__host-") else { return true }
        return isSecure && isHostOnly && field.path == "/"
    }

    /// The cookie's text in a request.
    var pair: String {
        name.isEmpty ? value : "\(name)=\(value)"
    }

    /// Whether the expiry time has come; a session cookie never expires.
    package func isExpired(at now: Timestamp) -> Bool {
        expiryTime.map { $0 <= now } ?? false
    }

    /// Whether both are versions of the same cookie.
    func isSame(as other: Cookie) -> Bool {
        isHostOnly == other.isHostOnly && name.hasSameBytes(as: other.name)
            && domain.hasSameBytes(as: other.domain) && path.hasSameBytes(as: other.path)
    }

    /// Whether a request for a URL carries the cookie.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - isAway: Whether a redirect led the request away from the job's origin: then host-only
    ///     cookies go only to the origin that set them, not even to another port.
    ///   - now: The current time; expired cookies are not sent.
    /// - Returns: Whether to send the cookie.
    func isFor(_ url: TransferURL, isAway: Bool, at now: Timestamp) -> Bool {
        let origin = url.origin
        let matchesHost =
            isHostOnly
            ? domain.hasSameBytes(as: origin.host)
            : CookieScope.host(origin.host, matches: domain)
        guard matchesHost, CookieScope.path(url.sentPath, matches: path),
            origin.isConfidential || !isSecure, !isExpired(at: now)
        else { return false }
        return isConfined || isAway && isHostOnly ? source == origin : true
    }
}

extension Timestamp {
    static let distantPast = Timestamp(microseconds: .min)

    /// Adds a positive or negative number of microseconds, saturating.
    static func + (time: Timestamp, microseconds: Int64) -> Timestamp {
        Timestamp(microseconds: time.microseconds.addingSaturated(microseconds))
    }
}

extension String {
    /// Whether the text begins with a lower-case prefix, ignoring case.
    fileprivate func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        let start = utf8.prefix(prefix.utf8.count)
        return start.elementsEqual(prefix.utf8) { $0.asciiLowercased == $1 }
    }
}
