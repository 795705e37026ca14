internal import SystemKit
package import TransferModel

/// The directives of `Cache-Control` in a request or a response (RFC 9111 §5.2) that a private
/// cache obeys.
///
/// The first of two equal directives counts (RFC 9111 §4.2.1). A directive whose argument is not a
/// number of seconds makes the response stale at once, as the same section advises.
package struct CacheControl: Sendable, Hashable {
    /// Directives without an argument.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// One bit for each directive.
        package let rawValue: UInt16
        /// Creates a set from its bits.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
        package static let noStore = Flags(rawValue: 1 << 0)
        /// `no-cache` without fields (RFC 9111 §5.2.1.4, §5.2.2.4).
        package static let noCache = Flags(rawValue: 1 << 1)
        /// `must-revalidate` (RFC 9111 §5.2.2.2).
        package static let mustRevalidate = Flags(rawValue: 1 << 2)
        /// `must-understand` (RFC 9111 §5.2.2.3).
        package static let mustUnderstand = Flags(rawValue: 1 << 3)
        /// `public` (RFC 9111 §5.2.2.9).
        package static let isPublic = Flags(rawValue: 1 << 4)
        /// `private` (RFC 9111 §5.2.2.7), which permits storing in this cache.
        package static let isPrivate = Flags(rawValue: 1 << 5)
        /// RFC 8246 §2.
        package static let immutable = Flags(rawValue: 1 << 6)
        /// `only-if-cached` (RFC 9111 §5.2.1.7).
        package static let onlyIfCached = Flags(rawValue: 1 << 7)
    }

    /// The directives without an argument that are present.
    package private(set) var flags: Flags = []
    /// Seconds; nil without the directive.
    package private(set) var maxAge: Int64?
    /// Seconds; `Int64.max` when any staleness is accepted (RFC 9111 §5.2.1.2).
    package private(set) var maxStale: Int64?
    /// Seconds; nil without the directive (RFC 9111 §5.2.1.3).
    package private(set) var minFresh: Int64?
    /// RFC 5861 §3.
    package private(set) var staleWhileRevalidate: Int64?
    /// RFC 5861 §4.
    package private(set) var staleIfError: Int64?
    /// The fields, in lower case, that `no-cache="…"` names; they are not stored (RFC 9111
    /// §5.2.2.4).
    package private(set) var noCacheFields: [String] = []

    /// Creates an empty set of directives.
    package init() {}

    /// Reads the values of all `Cache-Control` lines, in order.
    package init(_ values: [some Collection<UInt8>]) {
        for value in values { read(Array(value)) }
    }

    /// Reads a response's fields.
    package init(_ fields: HeaderFields) {
        self.init(fields.allValues(of: "cache-control"))
    }

    /// Reads a request's fields; `Pragma: no-cache` counts only without `Cache-Control` (RFC 9111
    /// §5.4).
    package init(request fields: [HeaderField]) {
        let values = fields.values(of: "cache-control")
        self.init(values.map(\.utf8))
        if values.isEmpty,
            fields.values(of: "pragma").contains(where: { $0.lowercased().contains("no-cache") })
        {
            flags.insert(.noCache)
        }
    }

    private mutating func read(_ bytes: [UInt8]) {
        var cursor = ListCursor(bytes)
        while let directive = cursor.nextDirective() { note(directive) }
    }

    private mutating func note(_ directive: ListCursor.Directive) {
        switch directive.name {
        case "no-store": flags.insert(.noStore)
        case "no-cache": noteNoCache(directive.argument)
        case "must-revalidate": flags.insert(.mustRevalidate)
        case "must-understand": flags.insert(.mustUnderstand)
        case "public": flags.insert(.isPublic)
        case "private": flags.insert(.isPrivate)
        case "immutable": flags.insert(.immutable)
        case "only-if-cached": flags.insert(.onlyIfCached)
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? directive.seconds
        case "max-stale":
            let isAny = directive.argument == nil && directive.isWellFormed
            maxStale = maxStale ?? (isAny ? .max : directive.seconds)
        case "stale-while-revalidate":
            staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
        // Extensions and directives for shared caches (RFC 9111 §5.2.3, §5.2.2.8, §5.2.2.10).
        default: break
        }
    }

    private mutating func noteNoCache(_ argument: String?) {
        let names = argument?.splitAtBytes(",", " ", "\t") ?? []
        if names.isEmpty { flags.insert(.noCache) }
        noCacheFields += names.map { $0.lowercased() }
    }
}

extension ListCursor.Directive {
    /// The argument as delta-seconds (RFC 9111 §1.2.2); nil for any other argument.
    fileprivate var seconds: Int64? {
        guard isWellFormed, let argument else { return nil }
        return DeltaSeconds.parse(argument.utf8)
    }
}

/// A number of seconds in a cache's field (RFC 9111 §1.2.2).
package enum DeltaSeconds {
    /// Larger numbers are reduced to this value.
    package static let most: Int64 = 1 << 31

    /// nil for any text but digits.
    package static func parse(_ text: some Collection<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        var seconds: Int64 = 0
        for byte in text {
            guard byte.isDigit else { return nil }
            seconds = Swift.min(seconds * 10 + Int64(byte - 48), most)
        }
        return seconds
    }
}
