import Testing
import TransferModel

@testable import HTTPCache

// RFC 9111 §4
@Suite struct CachePlanTests {
    private let fresh = sample("Cache-Control: max-age=3600", "Age: 60", "ETag: \"a\"")
    private let stale = sample("Cache-Control: max-age=5", "Last-Modified: \(dayEarlier)")
    private let tagged = [HeaderField(name: "If-None-Match", value: "\"a\"")]
    private let dated = [HeaderField(name: "If-Modified-Since", value: dayEarlier)]

    @Test func `fresh responses are served, stale ones revalidated`() throws {
        #expect(plan(try request(), fresh) == .serve(.hit, .fresh))
        #expect(plan(try request(), stale) == .ask(.expired, dated))
        #expect(
            plan(try request(), sample("Cache-Control: max-age=5")) == .ask(.noValidator, [])
        )
        #expect(
            Outcome(CachePlan.make(for: try request(), stored: [], now: start, fingerprint))
                == .ask(.notStored, [])
        )
    }

    @Test func `both validators are sent`() throws {
        let both = sample("ETag: W/\"b\"", "Last-Modified: \(dayEarlier)", "Expires: 0")
        let tag = [HeaderField(name: "If-None-Match", value: "W/\"b\"")]
        #expect(plan(try request(), both) == .ask(.expired, tag + dated))
    }

    // RFC 9111 §4
    @Test func `a revalidation lists the most recent response first`() throws {
        let old = sample("Cache-Control: max-age=0", "ETag: \"a\"", "Date: \(dayEarlier)")
        let new = sample("Cache-Control: max-age=0", "ETag: \"b\"", "Date: \(startDate)")
        let plan = CachePlan.make(
            for: try request(),
            stored: [old, new],
            now: time(10),
            fingerprint
        )
        var tags: [String?] = []
        if case .ask(let question) = plan { tags = question.stored.map { $0.fields["etag"] } }
        #expect(tags == ["\"b\"", "\"a\""])
    }

    // RFC 9111 §5.2.1
    @Test(
        arguments: [
            ("max-age=30", .ask(.tooOld, [HeaderField(name: "If-None-Match", value: "\"a\"")])),
            ("max-age=70", .serve(.hit, .fresh)),
            ("min-fresh=3600", .ask(.tooOld, [HeaderField(name: "If-None-Match", value: "\"a\"")])),
            ("min-fresh=60", .serve(.hit, .fresh)),
            ("no-cache", .ask(.noCache, [HeaderField(name: "If-None-Match", value: "\"a\"")])),
            ("no-store", .ask(.noStore, [])),
            ("only-if-cached", .serve(.hit, .fresh)),
            ("only-if-cached, no-cache", .unavailable),
        ] as [(String, Outcome)]
    )
    func `a request may demand a fresher response`(directive: String, outcome: Outcome) throws {
        #expect(plan(try request("Cache-Control: \(directive)"), fresh) == outcome)
    }

    @Test(arguments: [
        ("max-stale", "max-age=5", true), ("max-stale=5", "max-age=5", true),
        ("max-stale=4", "max-age=5", false), ("max-stale", "max-age=5, must-revalidate", false),
        ("max-stale", "max-age=5, no-cache", false), ("max-stale, max-age=9", "max-age=5", false),
    ])
    func `a request may accept a stale response, unless the response forbids it`(
        wanted: String,
        given: String,
        isServed: Bool
    ) throws {
        let outcome = plan(
            try request("Cache-Control: \(wanted)"),
            sample("Cache-Control: \(given)"),
            at: 10
        )
        #expect((outcome == .serve(.stale, .maxStale)) == isServed)
    }

    // RFC 5861 §3
    @Test(
        arguments: [
            ("max-age=1, stale-while-revalidate=9", 10, true),
            ("max-age=1, stale-while-revalidate=8", 10, false),
            ("max-age=1, stale-while-revalidate=9, must-revalidate", 10, false),
            ("no-cache, stale-while-revalidate=9", 1, false),
        ] as [(String, Int64, Bool)]
    )
    func `a stale response may be used while it is refreshed`(
        given: String,
        seconds: Int64,
        isServed: Bool
    ) throws {
        let outcome = plan(try request(), sample("Cache-Control: \(given)"), at: seconds)
        #expect((outcome == .serve(.stale, .staleWhileRevalidate)) == isServed)
    }

    // RFC 8246 §2
    @Test func `an immutable response is not revalidated while it is fresh`() throws {
        let wanted = try request(policy: .reloadRevalidatingCacheData)
        let immutable = sample("Cache-Control: max-age=60, immutable", "ETag: \"a\"")
        #expect(plan(wanted, fresh) == .ask(.revalidating, tagged))
        #expect(plan(wanted, immutable) == .serve(.hit, .fresh))
        #expect(plan(wanted, immutable, at: 60) == .ask(.revalidating, tagged))
    }

    @Test(
        arguments: [
            (.reloadIgnoringLocalCacheData, .ask(.policy, [])),
            (.reloadIgnoringLocalAndRemoteCacheData, .ask(.policy, [])),
            (.returnCacheDataElseLoad, .serve(.stale, .anyAge)),
            (.returnCacheDataDontLoad, .serve(.stale, .anyAge)),
        ] as [(RequestCachePolicy, Outcome)]
    )
    func `the policy decides on stale responses`(
        policy: RequestCachePolicy,
        outcome: Outcome
    ) throws {
        #expect(plan(try request(policy: policy), stale) == outcome)
    }

    @Test func `without a stored response only one policy fails`() throws {
        for policy in RequestCachePolicy.allCases {
            let isUnavailable = plan(try request(policy: policy)) == .unavailable
            #expect(isUnavailable == (policy == .returnCacheDataDontLoad))
        }
    }

    @Test func `other caches get no-cache when the policy bypasses them`() throws {
        let policy = RequestCachePolicy.reloadIgnoringLocalAndRemoteCacheData
        #expect(
            try request(policy: policy).fieldsForOtherCaches.map(\.name)
                == ["Cache-Control", "Pragma"]
        )
        let revalidating = try request(policy: .reloadRevalidatingCacheData).fieldsForOtherCaches
        #expect(revalidating.map(\.value) == ["max-age=0"])
        #expect(try request(policy: .reloadIgnoringLocalCacheData).fieldsForOtherCaches.isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "M-SEARCH"])
    func `other methods are not answered`(method: String) throws {
        #expect(plan(try request(method: method), fresh) == .ask(.method, []))
    }

    @Test func `a HEAD uses a GET's stored response, but revalidates none`() throws {
        #expect(plan(try request(method: "HEAD"), fresh) == .serve(.hit, .fresh))
        #expect(plan(try request(method: "HEAD"), stale) == .ask(.expired, []))
    }

    // RFC 9111 §4.3.2
    @Test(arguments: ["If-Match: \"a\"", "If-Unmodified-Since: \(startDate)", "If-Other: 1"])
    func `conditions for the origin alone go to the origin`(condition: String) throws {
        #expect(plan(try request(condition), fresh) == .ask(.condition, []))
        let both = try request("If-None-Match: \"a\"", condition)
        #expect(plan(both, fresh) == .ask(.condition, []))
    }

    // RFC 9111 §4.3.2
    @Test func `a task's own conditions are answered by fresh responses`() throws {
        for value in ["\"a\"", "\"b\"", "*"] {
            #expect(plan(try request("If-None-Match: \(value)"), fresh) == .serve(.hit, .fresh))
        }
        let dated = try request("If-Modified-Since: \(startDate)")
        #expect(plan(dated, fresh) == .serve(.hit, .fresh))
        #expect(plan(dated, stale) == .ask(.expired, []))
        #expect(
            plan(try request("If-None-Match: \"a\"", "Cache-Control: no-store"), fresh)
                == .ask(.noStore, [])
        )
    }

    // RFC 9111 §4.1
    @Test(
        arguments: [
            ("Vary: Foo", ["Foo: 1"], ["Foo: 1"], true),
            ("Vary: Foo", ["Foo: 1"], ["Foo: 2"], false),
            ("Vary: Foo", [], ["Foo: 1"], false), ("Vary: Foo", ["Foo: 1"], [], false),
            ("Vary: Foo, bar", ["Foo: 1"], ["foo: 1", "Other: 3"], true),
            ("Vary: Foo", ["Foo: 1, 2"], ["Foo: 1", "Foo: 2"], true),
            ("Vary: Foo", ["Foo: 1,2"], ["Foo:  1,   2 "], true),
            ("Vary: Foo", ["Foo: a"], ["Foo: A"], false),
            (
                "Vary: Accept-Language", ["Accept-Language: en, de"], ["Accept-Language: De,eN"],
                true
            ),
            (
                "Vary: Accept-Language", ["Accept-Language: en"], ["Accept-Language: en;q=0.5"],
                false
            ),
            ("A: b", ["Authorization: x"], ["Authorization: x"], true),
            ("A: b", ["Authorization: x"], ["Authorization: y"], false),
            ("A: b", ["Authorization: x"], [], false), ("A: b", [], ["Authorization: x"], false),
            ("A: b", ["Cookie: x"], ["Cookie: y"], false), ("A: b", [], ["Cookie: x"], true),
            ("Cache-Control: public, max-age=60", ["Cookie: x"], ["Cookie: y"], true),
        ] as [(String, [String], [String], Bool)]
    )
    func `a stored response serves requests with the same fields`(
        line: String,
        earlier: [String],
        wanted: [String],
        isAnswered: Bool
    ) throws {
        let url = try TransferURL("http://a.example/x")
        let outcome = plan(
            CacheRequest(method: "GET", url: url, fields: fields(wanted)),
            sample("Cache-Control: max-age=60", line),
            answering: CacheRequest(method: "GET", url: url, fields: fields(earlier))
        )
        #expect(outcome == (isAnswered ? .serve(.hit, .fresh) : .ask(.otherVariant, [])))
    }

    @Test func `of several responses the most recent one is used`() throws {
        let older = sample("Cache-Control: max-age=9999", "Date: \(dayEarlier)", body: "old")
        let newer = sample("Cache-Control: max-age=9999", "Date: \(startDate)", body: "new!")
        let chosen = CachePlan.make(
            for: try request(),
            stored: [older, newer, older],
            now: start,
            fingerprint
        )
        guard case .serve(let stored, _, _) = chosen else {
            Issue.record("it is not served")
            return
        }
        #expect(stored.body.length == 4)
    }

    // RFC 9110 §14.1.2
    @Test(
        arguments: [
            ("bytes=0-1", 0, 2), ("bytes=5-", 5, 5), ("bytes=-3", 7, 3), ("bytes=8-99", 8, 2),
            ("Bytes=-99", 0, 10), ("bytes=9-9", 9, 1),
        ] as [(String, Int64, Int64)]
    )
    func `a range is a part of the body`(value: String, first: Int64, count: Int64) throws {
        let range = try #require(ByteRange(value, of: 10))
        #expect(range.start == first)
        #expect(range.count == count)
        let head = range.head(
            of: ResponseHead(
                statusCode: 200,
                fields: headerFields(["Content-Length: 10", "A: 1"])
            ),
            length: 10
        )
        #expect(head.statusCode == 206)
        #expect(head.fields["content-range"] == "bytes \(first)-\(first + count - 1)/10")
        #expect(head.fields.values(of: "content-length") == ["\(count)"])
    }

    @Test(arguments: [
        "bytes=10-", "bytes=5-4", "bytes=0-1,4-5", "lines=1-2", "bytes=", "bytes=-", "bytes=-0",
    ])
    func `other ranges are for the origin`(value: String) throws {
        #expect(ByteRange(value, of: 10) == nil)
        #expect(plan(try request("Range: \(value)"), fresh) == .ask(.range, []))
    }
}
