internal import SystemKit
package import TransferModel

/// The cookies of one session: stores them, selects those of a request, and removes the excess.
package struct CookieStore: Sendable {
    /// The most cookies of one domain and in all (RFC 6265bis §6.1).
    static let maximumPerDomain = 50
    static let maximumCount = 3000
    /// The longest `Cookie` field, bytes: many servers reject a longer one, and then every request.
    static let maximumFieldSize = 8190

    /// By domain, without empty lists.
    private var cookies: [ByteText: [Cookie]] = [:]
    private(set) var count = 0
    /// The latest time given to a cookie; times are unique, so that the order is known.
    private var lastTime = Timestamp.distantPast
    /// No time of an initial cookie is later.
    private var beginning = Timestamp.distantPast
    /// The deletions, as expired cookies without values, for other processes.
    private var deletions: [Cookie] = []

    /// Creates an empty store.
    package init() {}

    /// A store with the cookies kept before, except expired ones.
    package init(_ kept: [Cookie], at now: Timestamp) {
        for cookie in kept {
            if !cookie.isExpired(at: now) { insert(cookie, at: now) }
            lastTime = max(lastTime, cookie.creationTime, cookie.modificationTime)
        }
        beginning = lastTime
    }

    /// Whether the store has no cookies, not even expired ones.
    package var isEmpty: Bool { count == 0 }

    /// All cookies in order of creation.
    package var all: [Cookie] {
        cookies.values.joined().sorted { $0.creationTime < $1.creationTime }
    }

    /// The changes of persistent cookies since the start, with deletions as expired cookies.
    package var changes: [Cookie] {
        deletions + all.filter { $0.expiryTime != nil && $0.modificationTime > beginning }
    }

    /// Stores a cookie of a response, by steps 16, 23 and 24 of the storage model.
    ///
    /// - Returns: Whether the cookie was accepted; an expired cookie deletes an existing one.
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
            // The old value is removed even if the new one must not be written.
            bury(cookie, isConfined: cookie.isConfined && !wasKept, at: now)
        }
        if !cookie.isExpired(at: now) { insert(cookie, at: now) }
        return true
    }

    /// Selects the cookies of a request (RFC 6265bis §5.8.3).
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - isAway: Whether a redirect led the request away from the job's origin.
    ///   - now: The time of the request, recorded as the cookies' last use.
    /// - Returns: The cookies in the order of the field.
    package mutating func cookies(for url: TransferURL, isAway: Bool, at now: Timestamp) -> [Cookie]
    {
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

    /// The value of `Cookie` for a request; nil without cookies.
    package mutating func field(for url: TransferURL, isAway: Bool, at now: Timestamp) -> String? {
        var field = ""
        for cookie in cookies(for: url, isAway: isAway, at: now) {
            let pair = cookie.pair
            // The last cookies matter least: they have the shortest path and are the newest of
            // these.
            guard field.utf8.count + pair.utf8.count + 2 <= Self.maximumFieldSize else { break }
            field += field.isEmpty ? pair : "; \(pair)"
        }
        return field.isEmpty ? nil : field
    }

    /// Whether a cookie from an unencrypted connection would override a secure one.
    private func hidesSecureCookie(_ cookie: Cookie) -> Bool {
        cookies.values.joined().contains { other in
            other.isSecure && other.name.hasSameBytes(as: cookie.name)
                && (CookieScope.host(other.domain, matches: cookie.domain)
                    || CookieScope.host(cookie.domain, matches: other.domain))
                && CookieScope.path(cookie.path, matches: other.path)
        }
    }

    /// Removes the cookie with the same name and scope.
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

    /// Removes the expired cookies, or else the first one in an order.
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
    /// Whether this cookie is removed first when a domain has too many.
    fileprivate func isEvicted(before other: Cookie) -> Bool {
        isSecure == other.isSecure ? lastAccessTime < other.lastAccessTime : !isSecure
    }
}

/// The cookies of one session, or of the sessions that share them; used by all engine threads.
package final class CookieStorage: Sendable {
    private let store: Lock<CookieStore>

    /// Creates a storage with the cookies kept before.
    package init(_ store: CookieStore = CookieStore()) {
        self.store = Lock(store)
    }

    /// Whether the storage has no cookies, not even expired ones.
    var isEmpty: Bool { store.withLock { $0.isEmpty } }

    /// Reads or changes the cookies; no other thread does so at the same time.
    func withStore<Result>(_ body: (inout CookieStore) -> Result) -> Result {
        store.withLock { body(&$0) }
    }

    /// The changed cookies that other runs of the job need, except confined ones.
    package var changes: [Cookie] {
        store.withLock { $0.changes.filter { !$0.isConfined } }
    }
}
