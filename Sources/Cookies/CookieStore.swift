internal import SystemKit
package import TransferModel

/// The cookies of one session: takes them in, finds those of a request, and drops what is too much.
package struct CookieStore: Sendable {
    /// More of one domain are not kept, nor more in all (RFC 6265bis §6.1).
    static let maximumPerDomain = 50
    static let maximumCount = 3000
    /// A request does not carry more: many servers refuse a longer field, and then every request,
    /// bytes.
    static let maximumFieldSize = 8190

    /// By domain; none is empty.
    private var cookies: [ByteText: [Cookie]] = [:]
    private(set) var count = 0
    /// The last time given to a cookie: no two are the same, so that their order is known.
    private var lastTime = Timestamp.distantPast
    /// What the cookies had at the beginning is not later.
    private var beginning = Timestamp.distantPast
    /// What has been deleted, as expired cookies without values: other processes are to delete it
    /// too.
    private var deletions: [Cookie] = []

    package init() {}

    /// A store of cookies that were kept before, without those that have expired.
    package init(_ kept: [Cookie], at now: Timestamp) {
        for cookie in kept {
            if !cookie.isExpired(at: now) { insert(cookie, at: now) }
            lastTime = max(lastTime, cookie.creationTime, cookie.modificationTime)
        }
        beginning = lastTime
    }

    package var isEmpty: Bool { count == 0 }

    /// Every cookie, in the order in which they were made.
    package var all: [Cookie] {
        cookies.values.joined().sorted { $0.creationTime < $1.creationTime }
    }

    /// What has changed since the beginning and outlives the run, deletions among it: they are
    /// expired cookies.
    package var changes: [Cookie] {
        deletions + all.filter { $0.expiryTime != nil && $0.modificationTime > beginning }
    }

    /// Takes in a cookie of a response, as steps 16, 23 and 24 of the storage model have it.
    ///
    /// - Returns: Whether it was taken in; one that has expired deletes another one that way.
    @discardableResult
    package mutating func receive(_ cookie: Cookie, at now: Timestamp) -> Bool {
        if !cookie.isSecure, !cookie.source.isConfidential, hidesSecureCookie(cookie) {
            return false
        }
        var cookie = cookie
        lastTime = max(now, lastTime + 1)
        cookie.modificationTime = lastTime
        cookie.creationTime = lastTime
        let old = remove(cookie)
        if let old { cookie.creationTime = old.creationTime }
        let wasKept = old.map { $0.expiryTime != nil && !$0.isConfined } ?? false
        let isKept = cookie.expiryTime != nil && !cookie.isConfined
        if cookie.isExpired(at: now) || wasKept && !isKept {
            // Its old value goes, also when the new one must not be written.
            bury(cookie, isConfined: cookie.isConfined && !wasKept, at: now)
        }
        if !cookie.isExpired(at: now) { insert(cookie, at: now) }
        return true
    }

    /// Finds the cookies that a request carries (RFC 6265bis §5.8.3).
    ///
    /// - Parameters:
    ///   - url: What is asked.
    ///   - isAway: Whether a redirect has led the request to another origin than the job names.
    ///   - now: The time of the request, which each of them then was last used at.
    /// - Returns: The cookies in the order in which they stand there.
    package mutating func cookies(for url: HTTPURL, isAway: Bool, at now: Timestamp) -> [Cookie] {
        var found: [Cookie] = []
        var domain = url.origin.host[...]
        while true {
            let key = ByteText(String(domain))
            if let position = cookies.index(forKey: key) {
                let range = cookies.values[position].indices
                for index in range
                where cookies.values[position][index].isFor(url, isAway: isAway, at: now) {
                    cookies.values[position][index].lastAccessTime = now
                    found.append(cookies.values[position][index])
                }
            }
            guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            domain = domain[domain.index(after: dot)...]
        }
        return found.sorted { left, right in
            let lengths = (left.path.utf8.count, right.path.utf8.count)
            return lengths.0 == lengths.1
                ? left.creationTime < right.creationTime : lengths.0 > lengths.1
        }
    }

    /// The value of `Cookie` for a request; nil when it carries none.
    package mutating func field(for url: HTTPURL, isAway: Bool, at now: Timestamp) -> String? {
        var field = ""
        for cookie in cookies(for: url, isAway: isAway, at: now) {
            let pair = cookie.pair
            // What comes last matters least: its path is the shortest, and it is the newest of
            // those.
            guard field.utf8.count + pair.utf8.count + 2 <= Self.maximumFieldSize else { break }
            field += field.isEmpty ? pair : "; \(pair)"
        }
        return field.isEmpty ? nil : field
    }

    /// Whether a cookie from a connection that anybody can write to would stand before a secure
    /// one.
    private func hidesSecureCookie(_ cookie: Cookie) -> Bool {
        cookies.values.joined().contains { other in
            other.isSecure && other.name.hasSameBytes(as: cookie.name)
                && (CookieScope.host(other.domain, matches: cookie.domain)
                    || CookieScope.host(cookie.domain, matches: other.domain))
                && CookieScope.path(cookie.path, matches: other.path)
        }
    }

    /// Takes out the cookie of the same name and place.
    private mutating func remove(_ cookie: Cookie) -> Cookie? {
        let key = ByteText(cookie.domain)
        guard let index = cookies[key]?.firstIndex(where: cookie.isSame) else { return nil }
        let old = cookies[key]?.remove(at: index)
        if cookies[key]?.isEmpty == true { cookies[key] = nil }
        count -= 1
        return old
    }

    private mutating func insert(_ cookie: Cookie, at now: Timestamp) {
        let key = ByteText(cookie.domain)
        cookies[key, default: []].append(cookie)
        count += 1
        if let list = cookies[key], list.count > Self.maximumPerDomain {
            evict(from: list, at: now) { $0.isEvicted(before: $1) }
        }
        if count > Self.maximumCount {
            evict(from: all, at: now) { $0.lastAccessTime < $1.lastAccessTime }
        }
    }

    /// Takes out what has expired, or else the first in an order.
    private mutating func evict(
        from list: [Cookie],
        at now: Timestamp,
        inOrder isBefore: (Cookie, Cookie) -> Bool
    ) {
        let expired = list.filter { $0.isExpired(at: now) }
        for victim in expired { _ = remove(victim) }
        if expired.isEmpty, let victim = list.min(by: isBefore) { _ = remove(victim) }
    }

    private mutating func bury(_ cookie: Cookie, isConfined: Bool, at now: Timestamp) {
        deletions.removeAll(where: cookie.isSame)
        guard deletions.count < Self.maximumCount else { return }
        var deletion = cookie
        deletion.value = ""
        deletion.isConfined = isConfined
        deletion.expiryTime = now
        deletions.append(deletion)
    }
}

extension Cookie {
    /// Whether this one goes first when a domain has too many.
    fileprivate func isEvicted(before other: Cookie) -> Bool {
        isSecure == other.isSecure ? lastAccessTime < other.lastAccessTime : !isSecure
    }
}
