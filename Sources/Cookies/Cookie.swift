internal import SystemKit
package import TransferModel

/// A cookie as a session keeps it (RFC 6265bis §5.7).
package struct Cookie: Sendable, Hashable {
    /// When a browser would not send it; kept only, for a job is nobody's page.
    package enum SameSite: String, Sendable, Hashable, CaseIterable {
        case strict
        case lax
        case none
        case unspecified
    }

    package var name: String
    package var value: String
    /// In lower case, without a dot in front: the host that set it, or one that it lies below.
    package var domain: String
    package var path: String
    /// Whether only the host itself gets it.
    package var isHostOnly: Bool
    package var isSecure: Bool
    package var isHTTPOnly: Bool
    package var sameSite: SameSite
    /// nil for a session cookie, which ends with the run.
    package var expiryTime: Timestamp?
    /// Who set it.
    package var source: Origin
    /// Whether nobody but `source` gets it, because it has a secret of the job's in it; it is never
    /// written to disk.
    package var isConfined = false
    /// Of the first cookie of that name and place.
    package var creationTime: Timestamp
    /// When it was set last.
    package var modificationTime: Timestamp
    package var lastAccessTime: Timestamp

    /// No cookie lives longer from the time on at which it was set (RFC 6265bis §5.5),
    /// microseconds.
    static let maximumLifetime: Int64 = 400 * 86_400 * 1_000_000

    /// The cookie that a field makes at a URL, as steps 5 to 22 of the storage model have it; nil
    /// when it is to be ignored.
    ///
    /// - Parameters:
    ///   - field: What the response says.
    ///   - url: What was asked.
    ///   - suffixes: Which domains are everybody's.
    ///   - now: When the response came.
    package init?(
        _ field: SetCookie,
        from url: HTTPURL,
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

    /// The domain that a cookie is for, empty for its host alone; nil when the host may not set it.
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
        // A public suffix may be a host too, such as `github.io`.
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

    /// Whether the cookie is what the prefix of its name says, or of its value when it has no name.
    private func keepsPromise(of field: SetCookie) -> Bool {
        if name.isEmpty {
            return !value.hasPrefixIgnoringCase("__secure-")
                && !value.hasPrefixIgnoringCase("__host-")
        }
        if name.hasPrefixIgnoringCase("__secure-") { return isSecure }
        guard name.hasPrefixIgnoringCase("__host-") else { return true }
        return isSecure && isHostOnly && field.path == "/"
    }

    /// What a request carries of it.
    var pair: String {
        name.isEmpty ? value : "\(name)=\(value)"
    }

    package func isExpired(at now: Timestamp) -> Bool {
        expiryTime.map { $0 <= now } ?? false
    }

    /// Whether this is the same cookie in another state.
    func isSame(as other: Cookie) -> Bool {
        isHostOnly == other.isHostOnly && name.hasSameBytes(as: other.name)
            && domain.hasSameBytes(as: other.domain) && path.hasSameBytes(as: other.path)
    }

    /// Whether a request for a URL carries it.
    ///
    /// - Parameters:
    ///   - url: What is asked.
    ///   - isAway: Whether a redirect has led the request to another origin than the job names:
    ///     then no other origin's cookie goes along that is for its host alone, also not to another
    ///     port of that host.
    ///   - now: An expired cookie goes nowhere.
    /// - Returns: Whether it goes along.
    func isFor(_ url: HTTPURL, isAway: Bool, at now: Timestamp) -> Bool {
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

    /// A later time, or an earlier one; saturated.
    static func + (time: Timestamp, microseconds: Int64) -> Timestamp {
        let (sum, overflow) = time.microseconds.addingReportingOverflow(microseconds)
        return Timestamp(microseconds: overflow ? (microseconds < 0 ? .min : .max) : sum)
    }
}

extension String {
    /// Whether the text begins with a prefix that is in lower case, capitals aside.
    fileprivate func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        let start = utf8.prefix(prefix.utf8.count)
        return start.elementsEqual(prefix.utf8) { $0.asciiLowercased == $1 }
    }
}
