import Testing
import TransferModel

@testable import HTTPCache

// RFC 9111 §3
/// More names of fields than anybody has.
private let manyNames = (0..<70).map { "x-\($0)" }.joined(separator: ", ")

@Suite struct StorabilityTests {
    @Test(
        arguments: [
            (200, ["Cache-Control: max-age=60"], nil),
            (200, ["ETag: \"a\""], nil),
            (200, ["Date: \(startDate)", "Last-Modified: \(dayEarlier)"], nil),
            (200, ["Cache-Control: no-cache", "ETag: \"a\""], nil),
            (200, ["Cache-Control: private, max-age=60"], nil),
            (200, ["Cache-Control: no-store, must-understand, max-age=60"], nil),
            (200, [], .notReusable),
            (200, ["Cache-Control: no-cache"], .notReusable),
            (200, ["Cache-Control: max-age=0"], .notReusable),
            (200, ["Cache-Control: max-age=0, stale-while-revalidate=60"], nil),
            (200, ["Cache-Control: No-StOrE, max-age=60"], .noStore),
            (200, ["Cache-Control: max-age=60", "Vary: *"], .varies),
            (200, ["Cache-Control: max-age=60", "Vary: , *"], .varies),
            (200, ["Cache-Control: max-age=60", "Vary: Accept Language, Foo"], .varies),
            (200, ["Cache-Control: max-age=60", "Vary: \"Accept\""], .varies),
            (200, ["Cache-Control: max-age=60", "Vary: " + manyNames], .varies),
            (599, ["Cache-Control: max-age=60"], nil),
            (599, ["Cache-Control: max-age=60, must-understand"], .noStore),
            (599, ["ETag: \"a\""], .status), (201, ["ETag: \"a\""], .status),
            (302, ["Expires: \(hourLater)"], nil), (301, ["ETag: \"a\""], nil),
            (206, ["Cache-Control: max-age=60"], .status),
            (304, ["Cache-Control: max-age=60"], .status),
            (401, ["Cache-Control: max-age=60"], .status),
        ] as [(Int, [String], CacheVerdict.Storing?)]
    )
    func `a response is stored when the rules allow it and it is useful`(
        status: Int,
        lines: [String],
        refusal: CacheVerdict.Storing?
    ) throws {
        var stored = sample(status: status)
        stored.fields = headerFields(lines)
        #expect(Storability.refusal(of: stored, to: try request()) == refusal)
    }

    @Test func `a request may forbid storing its response`() throws {
        let stored = sample("Cache-Control: max-age=60")
        let wanted = try request("Cache-Control: no-store")
        #expect(Storability.refusal(of: stored, to: wanted) == .noStore)
    }

    @Test func `a policy for any age stores responses that are never fresh`() throws {
        let wanted = try request(policy: .returnCacheDataElseLoad)
        #expect(Storability.refusal(of: sample(), to: wanted) == nil)
    }

    // RFC 9110 §9.3.3
    @Test(
        arguments: [
            (["Cache-Control: max-age=60", "Content-Location: /x"], nil),
            (["Cache-Control: max-age=60", "Content-Location: http://a.example:80/y/../x"], nil),
            (["Cache-Control: max-age=60", "Content-Location: /y"], .method),
            (["Cache-Control: max-age=60"], .method),
            (["ETag: \"a\"", "Content-Location: /x"], .method),
        ] as [([String], CacheVerdict.Storing?)]
    )
    func `of a POST only a response that describes a GET is stored`(
        lines: [String],
        refusal: CacheVerdict.Storing?
    ) throws {
        var stored = sample()
        stored.fields = headerFields(lines)
        #expect(Storability.refusal(of: stored, to: try request(method: "POST")) == refusal)
    }

    // RFC 9111 §3.1
    @Test func `fields about the connection and those that may not be stored are left out`() {
        let stored = StoredFields.storable(
            headerFields([
                "Connection: a, B", "A: 1", "b: 2", "C: 3", "Keep-Alive: x", "Set-Cookie: d=e",
                "Transfer-Encoding: chunked", "Proxy-Authenticate: Basic",
                "Cache-Control: no-cache=\"D\"", "d: 4",
            ])
        )
        #expect(stored.fields.map(\.name) == ["C", "Set-Cookie", "Cache-Control"])
    }

    // RFC 9111 §3.2
    @Test func `newer fields replace older ones but for those of the body`() {
        let stored = headerFields([
            "A: 1", "B: 2", "B: 3", "Content-Length: 7", "Content-Encoding: gzip", "Age: 5",
        ])
        let newer = headerFields(["b: 4", "C: 5", "Content-Length: 9", "Content-Encoding: br"])
        let (fields, isRepetition) = StoredFields.updated(stored, by: newer, CacheControl(newer))
        #expect(
            fields.fields.map { "\($0.name): \($0.value)" } == [
                "A: 1", "Content-Length: 7", "Content-Encoding: gzip", "b: 4", "C: 5",
            ]
        )
        #expect(!isRepetition)
    }

    @Test func `a long name is no other long name`() {
        let names = (62...66).map { String(repeating: "n", count: $0) }
        let stored = headerFields(names.map { "\($0): 1" } + ["Cache-Control: no-cache=\"\""])
        let newer = headerFields(["\(names[2].uppercased()): 2"])
        let (fields, _) = StoredFields.updated(stored, by: newer, CacheControl(newer))
        let kept = fields.fields.filter { $0.value == "1" }.map(\.name)
        #expect(kept == [names[0], names[1], names[3], names[4]])
        #expect(fields[names[2]] == "2")
        #expect(StoredFields.storable(stored).count == stored.count)
    }

    @Test(
        arguments: [
            (["a: 1"], true), (["A:  1 ", "B: 3"], true), (["B: 2", "B: 3"], true), ([], true),
            (["Date: Tue, 06 Jan 2026 12:00:00 GMT", "Age: 7"], true),
            (["Content-Length: 9", "Connection: x", "X: 1"], true),
            (["A: 2"], false), (["B: 1"], false), (["C: 1"], false), (["A: 1", "X: 1"], false),
        ] as [([String], Bool)]
    )
    func `repeated fields are recognized in spite of case, blanks and dates`(
        lines: [String],
        isRepetition: Bool
    ) {
        let stored = headerFields(["A: 1", "B: 2", "B: 3", "Content-Length: 7", "Age: 5"])
        let newer = headerFields(lines)
        #expect(
            StoredFields.updated(stored, by: newer, CacheControl(newer)).isRepetition
                == isRepetition
        )
    }
}
