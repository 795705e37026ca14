import SystemKit
import TestSupport
import Testing

@testable import HTTPCache

@Suite struct CacheDraftTests {
    @Test func `a body for which no file can be made does not pile up in memory`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "cache")
        let store = DiskStore(directory: folder.path("cache"), capacity: 100 << 20)
        var draft = CacheDraft(sample("ETag: \"a\"", body: ""), key: try cacheKey(), store: store)
        let piece = [UInt8](repeating: 65, count: store.largestInMemory)
        let isFirstKept = draft.append(piece.span)
        #expect(isFirstKept && store.fault == nil)
        let isSecondKept = draft.append(piece.span)
        #expect(!isSecondKept && store.fault != nil)
        guard case .memory(let kept) = draft.content else {
            Issue.record("there is a file")
            return
        }
        #expect(kept.isEmpty)
    }

    @Test
    func `a body above the limit is dropped if the response is useful without it`()
        throws
    {
        let place = try StoreFolder()
        let store = place.store(capacity: 200_000)
        let pieces = [[UInt8]](repeating: [UInt8](repeating: 65, count: 6000), count: 3)
        let response = StoredResponse(
            statusCode: 200,
            fields: headerFields(["ETag: \"a\""]),
            requestTime: start,
            responseTime: start
        )
        for mayOmitBody in [false, true] {
            var draft = CacheDraft(
                response,
                key: try cacheKey(),
                store: store,
                mayOmitBody: mayOmitBody
            )
            var isKept = true
            for piece in pieces { isKept = draft.append(piece.span) && isKept }
            #expect(isKept == mayOmitBody)
            if isKept { #expect(draft.commit()) }
        }
        let stored = try #require(store.find(try cacheKey()).first)
        #expect(stored.body.length == 18_000)
        #expect(stored.body.hash == ContentHash(of: Array(pieces.joined()).span).value)
        #expect(!stored.hasBody)
    }
}
