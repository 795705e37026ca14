import SystemKit
import Testing
import TransferModel

@testable import HTTPCache

/// A session's cache with requests and responses, one after the other.
@Suite struct HTTPCacheTests {
    private let store = MemoryStore(capacity: 1 << 20)

    private func cache(partition: String = "", hiding secret: String? = nil) -> HTTPCache {
        var findSecret: SecretFinder?
        if let secret { findSecret = { text in text.contains(secret) ? 0 : nil } }
        return HTTPCache(
            store: store,
            partition: partition,
            fingerprint: fingerprint,
            findSecret: findSecret
        )
    }

    /// Stores a response that was received at the beginning.
    private func add(
        _ lines: String...,
        answering request: CacheRequest,
        to cache: HTTPCache
    ) throws {
        let draft = cache.draft(
            of: ResponseHead(statusCode: 200, fields: headerFields(lines)),
            to: request,
            requestTime: start,
            responseTime: start,
            length: nil
        )
        #expect(try draft.get().commit())
    }

    private func outcome(_ cache: HTTPCache, _ request: CacheRequest) -> Outcome {
        Outcome(cache.plan(for: request, now: time(10)))
    }

    private let fresh = "Cache-Control: max-age=600"

    // RFC 9110 §12.5.3
    @Test func `a coded response serves no request with other accepted codings`() throws {
        let cache = cache()
        let coded = try request("Accept-Encoding: gzip, br")
        try add(fresh, "Content-Encoding: gzip", answering: coded, to: cache)
        let others = try ["Accept-Encoding: identity", "Accept: */*"].map { try request($0) }
        #expect(outcome(cache, coded) == .serve(.hit, .fresh))
        for other in others { #expect(outcome(cache, other) == .ask(.otherVariant, [])) }
    }

    @Test func `a field with a secret identifies the client`() throws {
        let alice = try request("X-Key: alice")
        let bobby = try request("X-Key: bobby")
        try add(fresh, answering: alice, to: cache(hiding: "alice"))
        #expect(outcome(cache(hiding: "alice"), alice) == .serve(.hit, .fresh))
        #expect(outcome(cache(hiding: "bobby"), bobby) == .ask(.otherVariant, []))
        #expect(outcome(cache(), try request()) == .ask(.otherVariant, []))
    }

    @Test func `a response serves no request for another site at the URL's server`() throws {
        let cache = cache()
        let shop = try request("Host: shop.example")
        try add(fresh, answering: shop, to: cache)
        #expect(outcome(cache, shop) == .serve(.hit, .fresh))
        for other in [try request("Host: blog.example"), try request()] {
            #expect(outcome(cache, other) == .ask(.otherVariant, []))
            try add(fresh, answering: other, to: cache)
            #expect(outcome(cache, other) == .serve(.hit, .fresh))
        }
    }

    @Test func `a field with a captured value identifies the client`() throws {
        func request(_ token: String) throws -> CacheRequest {
            CacheRequest(
                method: "GET",
                url: try TransferURL("http://a.example/x"),
                fields: [HeaderField(name: "X-Token", value: token, isCaptured: true)]
            )
        }
        try add(fresh, answering: try request("alice"), to: cache())
        #expect(outcome(cache(), try request("alice")) == .serve(.hit, .fresh))
        #expect(outcome(cache(), try request("bobby")) == .ask(.otherVariant, []))
    }

    @Test func `a public response serves no request with a secret`() throws {
        try add(fresh, answering: try request(), to: cache())
        let bobby = try request("X-Key: bobby")
        #expect(outcome(cache(hiding: "bobby"), bobby) == .ask(.otherVariant, []))
        #expect(outcome(cache(), try request()) == .serve(.hit, .fresh))
    }

    @Test func `a partition's responses are invisible to other partitions`() throws {
        let request = try request()
        try add(fresh, answering: request, to: cache(partition: "alice"))
        #expect(outcome(cache(partition: "alice"), request) == .serve(.hit, .fresh))
        #expect(outcome(cache(partition: "bobby"), request) == .ask(.notStored, []))
        #expect(outcome(cache(), request) == .ask(.notStored, []))
        #expect(
            store.find(try #require(CacheKey(request.url, fingerprint)))[0].selection.names == []
        )
    }

    // RFC 9111 §4.4
    @Test func `an unsafe request invalidates the responses of all partitions`() throws {
        let request = try request()
        for partition in ["", "alice", "bobby"] {
            try add(fresh, answering: request, to: cache(partition: partition))
        }
        let invalidation = Invalidation(in: [cache()], fingerprint: fingerprint)
        invalidation.apply(ResponseHead(statusCode: 204), to: "HEAD", request.url, at: start)
        #expect(!store.isEmpty)
        invalidation.apply(ResponseHead(statusCode: 204), to: "PUT", request.url, at: start)
        #expect(store.isEmpty)
    }

    @Test(arguments: [0, OriginChanges.most])
    func `a response requested before an invalidation is not stored after it`(changes: Int) throws {
        let cache = cache()
        let invalidation = Invalidation(in: [cache], fingerprint: fingerprint)
        func change(_ path: String, at seconds: Int64) throws {
            let url = try TransferURL("http://a.example/\(path)")
            invalidation.apply(ResponseHead(statusCode: 204), to: "PUT", url, at: time(seconds))
        }
        func storing(_ path: String, askedAt seconds: Int64) throws -> CacheVerdict.Storing {
            let draft = cache.draft(
                of: ResponseHead(statusCode: 200, fields: headerFields([fresh])),
                to: try request(url: "http://a.example/\(path)"),
                requestTime: time(seconds),
                responseTime: time(seconds),
                length: nil
            )
            return try draft.get().finish()
        }
        try change("%7Ex", at: 5)
        for number in 0..<changes { try change("\(number)", at: 6) }
        #expect(try storing("~x", askedAt: 4) == .outdated)
        #expect(try storing("~x", askedAt: 7) == .stored)
        // After too many changes the cache no longer knows their URLs.
        #expect(try storing("y", askedAt: 5) == (changes == 0 ? .stored : .outdated))
        #expect(try storing("y", askedAt: 7) == .stored)
    }

    @Test func `a response invalidated during its storing is not stored`() throws {
        let place = try StoreFolder()
        let (url, later) = (try TransferURL("http://a.example/x"), time(9))
        let invalidation = Lock<Invalidation?>(nil)
        let store = DiskStore(directory: place.path, capacity: 1 << 20) { step in
            guard step == .listWritten else { return false }
            let change = invalidation.withLock { $0 }
            change?.apply(ResponseHead(statusCode: 204), to: "PUT", url, at: later)
            return false
        }
        let cache = HTTPCache(store: store, fingerprint: fingerprint)
        invalidation.withLock { $0 = Invalidation(in: [cache], fingerprint: fingerprint) }
        let draft = cache.draft(
            of: ResponseHead(statusCode: 200, fields: headerFields([fresh])),
            to: try request(url: url.text),
            requestTime: start,
            responseTime: start,
            length: nil
        )
        #expect(try draft.get().finish() == .outdated)
        #expect(store.find(try cacheKey("x")).isEmpty)
    }

    // RFC 9111 §4.1, §4.3.4
    @Test func `a response with new Vary fields is not used by its old selection`() throws {
        let cache = cache()
        let english = try request("Accept-Language: en")
        try add("Cache-Control: max-age=0", "ETag: \"a\"", answering: english, to: cache)
        let stored = store.find(try #require(CacheKey(english.url, fingerprint)))
        let confirmed = cache.confirm(
            headerFields(["ETag: \"a\"", fresh, "Vary: Accept-Language"]),
            of: stored,
            for: english,
            requestTime: time(5),
            responseTime: time(5)
        )
        #expect(confirmed?.isUpdated == false)
        #expect(outcome(cache, try request("Accept-Language: de")) == .ask(.notStored, []))
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], "Cache-Control: max-age=0", false),
            (["etag: \"a\"", "Date: \(hourLater)"], "Cache-Control: max-age=0", false),
            (["ETag: \"a\"", "New: 1"], "Cache-Control: max-age=0", true),
            (["ETag: \"a\"", "Cache-Control: max-age=9"], "Cache-Control: max-age=0", true),
            (["ETag: \"a\""], "Cache-Control: max-age=9", true),
            (["ETag: \"a\""], "Cache-Control: max-age=0, stale-if-error=9", true),
            (["ETag: \"a\""], "Cache-Control: max-age=0, stale-while-revalidate=9", true),
        ] as [([String], String, Bool)]
    )
    func `a revalidation is stored when it extends freshness`(
        lines: [String],
        control: String,
        isWritten: Bool
    ) throws {
        let cache = cache()
        let request = try request()
        try add(control, "ETag: \"a\"", answering: request, to: cache)
        let key = try #require(CacheKey(request.url, fingerprint))
        let stored = store.find(key)
        let confirmed = cache.confirm(
            headerFields(lines),
            of: stored,
            for: request,
            requestTime: time(60),
            responseTime: time(60)
        )
        #expect(confirmed?.isUpdated == true)
        #expect(confirmed?.response.responseTime == time(60))
        #expect((store.find(key) != stored) == isWritten)
    }

    // RFC 9111 §4.3.5
    @Test func `a HEAD with Vary makes the stored response be revalidated`() throws {
        let cache = cache()
        try add(fresh, "ETag: \"a\"", answering: try request(), to: cache)
        cache.note(
            head: ResponseHead(
                statusCode: 200,
                fields: headerFields([fresh, "ETag: \"a\"", "Vary: Accept-Language"])
            ),
            of: try request(method: "HEAD"),
            about: store.find(try #require(CacheKey(try request().url, fingerprint))),
            requestTime: time(5),
            responseTime: time(5)
        )
        let tag = [HeaderField(name: "If-None-Match", value: "\"a\"")]
        #expect(outcome(cache, try request("Accept-Language: de")) == .ask(.invalidated, tag))
    }

    // RFC 9111 §5.2.2.5
    @Test(arguments: ["Cache-Control: no-store", "Echo: hidden"])
    func `fields that must not be stored are not stored from a HEAD`(field: String)
        throws
    {
        let cache = cache(hiding: "hidden")
        try add(fresh, "ETag: \"a\"", answering: try request(), to: cache)
        let key = try #require(CacheKey(try request().url, fingerprint))
        let before = store.find(key)
        cache.note(
            head: ResponseHead(statusCode: 200, fields: headerFields(["ETag: \"a\"", field])),
            of: try request(method: "HEAD"),
            about: before,
            requestTime: time(5),
            responseTime: time(5)
        )
        #expect(store.find(key) == before)
    }

    // RFC 9111 §4.2.2
    @Test func `a revalidating download uses no heuristic freshness`() throws {
        let cache = cache()
        let old = "Last-Modified: \(dayEarlier)"
        let conditions = [HeaderField(name: "If-Modified-Since", value: dayEarlier)]
        try add(old, "Date: \(startDate)", answering: try request(), to: cache)
        let careful = CacheRequest(
            method: "GET",
            url: try request().url,
            fields: [],
            mayGuess: false
        )
        #expect(outcome(cache, try request()) == .serve(.hit, .fresh))
        #expect(outcome(cache, careful) == .ask(.expired, conditions))
        let window = "Cache-Control: stale-while-revalidate=600"
        try add(old, window, "Date: \(startDate)", answering: try request(), to: cache)
        #expect(outcome(cache, careful) == .ask(.expired, conditions))
        try add(old, fresh, answering: try request(), to: cache)
        #expect(outcome(cache, careful) == .serve(.hit, .fresh))
    }

    // RFC 3986 §6.2.3
    @Test func `an empty query is another one than none`() throws {
        let keys = try ["http://a.example/x", "http://a.example/x?", "http://a.example/x?#y"].map {
            try #require(CacheKey(try TransferURL($0), fingerprint)).url
        }
        #expect(keys == ["http://a.example/x", "http://a.example/x?", "http://a.example/x?"])
    }
}
