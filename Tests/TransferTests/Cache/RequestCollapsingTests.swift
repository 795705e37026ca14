import Testing
import TransferModel

@testable import Transfer

// RFC 9111 §4
@Suite struct RequestCollapsingTests {
    private func attempt(
        _ key: Int,
        _ path: String = "/a",
        session: Int = 0,
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> AttemptRequest {
        try .to("http://a.example\(path)", key: key) {
            $0.session = session
            $0.cachePolicy = .useProtocolCachePolicy
            change(&$0)
        }
    }

    private func result(_ key: Int, _ cache: CacheVerdict?) -> AttemptResult {
        let now = MonotonicTime(nanoseconds: 0)
        var result = AttemptResult(
            key: key,
            startTime: now,
            endTime: now,
            currentRequest: .init(method: "GET", url: "", headers: HeaderFields())
        )
        result.cache = cache
        return result
    }

    private let stored = CacheVerdict(.miss, .notStored, storing: .stored)

    @Test func `one attempt sends the request and the others continue when it ends`() throws {
        var collapsing = RequestCollapsing(hasCache: [true, true])
        let held = try [
            attempt(1), attempt(2), attempt(3), attempt(4, "/b"), attempt(5, session: 1),
        ].map { collapsing.holds($0) }
        #expect(held == [false, true, true, false, false])
        let afterOther = collapsing.end(result(4, stored))
        #expect(afterOther.isEmpty)
        let afterFirst = collapsing.end(result(1, stored))
        #expect(afterFirst.map(\.key) == [2, 3])
        let heldLater = try [attempt(6), attempt(7)].map { collapsing.holds($0) }
        #expect(heldLater == [false, true])
    }

    @Test func `after a vain wait no attempt waits for the URL again`() throws {
        var collapsing = RequestCollapsing(hasCache: [true])
        let held = try [attempt(1), attempt(2)].map { collapsing.holds($0) }
        #expect(held == [false, true])
        let released = collapsing.end(result(1, .init(.miss, .notStored, storing: .noStore)))
        #expect(released.count == 1)
        let heldLater = try [attempt(3), attempt(4)].map { collapsing.holds($0) }
        #expect(heldLater == [false, false])
    }

    @Test(
        arguments: [
            (8, 1, nil, nil, false), (1, 8, nil, nil, true), (nil, 8, nil, nil, false),
            (8, nil, nil, nil, true), (8, 8, nil, 5, false), (8, 8, 5, 5, true),
            (8, 8, 6, 5, false), (8, 8, 5, nil, true),
        ] as [(Int?, Int?, Int64?, Int64?, Bool)]
    )
    func `no attempt waits for one that may outlast its own limits`(
        leaderSeconds: Int?,
        seconds: Int?,
        leaderDeadline: Int64?,
        deadline: Int64?,
        waits: Bool
    ) throws {
        var collapsing = RequestCollapsing(hasCache: [true])
        let leader = try attempt(1) {
            $0.timeoutInterval = leaderSeconds.map { TimeLimit(.timeoutInterval, .seconds($0)) }
            $0.deadline = leaderDeadline.map { MonotonicTime(nanoseconds: $0) }
        }
        let follower = try attempt(2) {
            $0.timeoutInterval = seconds.map { TimeLimit(.timeoutInterval, .seconds($0)) }
            $0.deadline = deadline.map { MonotonicTime(nanoseconds: $0) }
        }
        let held = [leader, follower].map { collapsing.holds($0) }
        #expect(held == [false, waits])
    }

    @Test func `only attempts that may use the cache wait`() throws {
        var collapsing = RequestCollapsing(hasCache: [true, false])
        let held = [
            try attempt(1), try attempt(2) { $0.cachePolicy = nil },
            try attempt(3) { $0.cachePolicy = .reloadIgnoringLocalCacheData },
            try attempt(4) { $0.request.method = "POST" },
            try attempt(5) { $0.ignoresStored = true },
            try attempt(6, session: 1),
        ].map { collapsing.holds($0) }
        #expect(!held.contains(true))
    }

    @Test func `a waiting attempt can be withdrawn`() throws {
        var collapsing = RequestCollapsing(hasCache: [true])
        for key in 1...4 { _ = collapsing.holds(try attempt(key)) }
        let withdrawn = collapsing.withdraw([1, 3, 9])
        #expect(withdrawn.map(\.key) == [3])
        let rest = collapsing.endAll()
        #expect(rest.map(\.key) == [2, 4])
        let released = collapsing.end(result(1, stored))
        #expect(released.isEmpty)
    }
}
