import SystemKit
import TestSupport
import Testing

@testable import HTTPCache

@Suite struct DiskRoomTests {
    private let place: StoreFolder

    init() throws { place = try StoreFolder() }

    @Test func `nothing is stored while the lock of the count is held`() throws {
        let store = place.store(capacity: 1 << 20)
        let body = String(repeating: "a", count: 40_000)
        try store.add(body, "first")
        store.close()
        do {
            let lock = try place.lock("usage.lock")
            let stored = try (0..<40).filter { try store.add(body, "\($0)") }
            #expect(stored.count < 3)
            #expect(store.fault == nil)
            withExtendedLifetime(lock) {}
        }
        #expect(try store.add(body, "last"))
        store.close()
        #expect(try place.inventory.size() <= 1 << 20)
    }

    @Test func `lists that grow take room as bodies do`() throws {
        let capacity: Int64 = 1 << 20
        let store = place.store(capacity: capacity)
        let padding = "Padding: " + String(repeating: "p", count: 10_000)
        for variant in 0..<6 {
            for url in 0..<30 {
                try store.add("", "\(url)", by: "\(variant)", fields: ["ETag: \"a\"", padding])
            }
        }
        store.close()
        let size = try place.inventory.size()
        #expect(size <= capacity)
        #expect(size > capacity / 2)
    }

    @Test func `fields that grow with a validation take room, too`() throws {
        let capacity: Int64 = 1 << 20
        let store = place.store(capacity: capacity)
        for url in 0..<60 { try store.add("b", "\(url)") }
        let padding = "Padding: " + String(repeating: "p", count: 40_000)
        for url in 0..<60 {
            guard var response = store.find(try cacheKey("\(url)")).first else { continue }
            response.fields = headerFields(["ETag: \"a\"", padding])
            _ = store.update(response, for: try cacheKey("\(url)"))
        }
        store.close()
        #expect(try place.inventory.size() <= capacity)
    }

    @Test func `a body named during another process's count is counted`() throws {
        try place.add("one")
        let folders = try place.folders
        let sweep = DiskSweep(folders: folders, capacity: 1 << 20)
        let room = DiskRoom(capacity: 1 << 20)
        let isNamed = try room.take(200_000, in: folders) { sweep.run() }
        #expect(isNamed)
        let usage = try #require(sweep.usage)
        #expect(usage.size >= 200_000)
        // Bytes counted since then stay counted.
        sweep.run()
        let counted = sweep.usage
        room.close(in: folders)
        #expect(sweep.usage == counted)
        #expect(counted?.counts == usage.counts + 1)
    }

    @Test func `an announcement from before another count is void`() throws {
        try place.add("one")
        let (folders, place) = (try place.folders, place)
        let sweep = DiskSweep(folders: folders, capacity: 1 << 20)
        let room = DiskRoom(capacity: 1 << 20)
        func take(_ count: Int) throws -> Bool {
            try room.take(Int64(count), in: folders) { () throws(SystemError) in
                _ = try? place.temporary.write(
                    [UInt8](repeating: 1, count: count),
                    to: place.inside("bodies/\(count)")
                )
            }
        }
        #expect(try take(900_000))
        #expect(try !take(200_000))
        room.close(in: folders)
        sweep.run()
        _ = room.isLeft(in: folders)
        #expect(try take(90_000))
        room.close(in: folders)
        let usage = try #require(sweep.usage)
        #expect(usage.size >= (try place.inventory.size()))
    }

    @Test func `a body without room gets no name`() throws {
        try place.add("one")
        let folders = try place.folders
        let room = DiskRoom(capacity: 1 << 20)
        let sizes: [Int64] = [500_000, 600_000]
        let named = try sizes.filter { try room.take($0, in: folders) {} }
        #expect(named == [500_000])
        room.close(in: folders)
    }

    @Test func `a missing count starts anew`() throws {
        let store = place.store()
        try store.add("one")
        store.close()
        try place.folders.root.remove(DiskFolders.usage)
        let sweep = DiskSweep(folders: try place.folders, capacity: 1 << 20)
        #expect(sweep.add(500_000)?.room == .little)
        #expect(sweep.add(520_000)?.room == .full)
        sweep.run()
        #expect(sweep.add(0)?.room == .enough)
    }

    @Test func `an impossible count is ignored`() throws {
        try place.add("one")
        try place.temporary.write("-9000000000\n", to: place.inside("usage"), mode: 0o600)
        let sweep = DiskSweep(folders: try place.folders, capacity: 1 << 20)
        #expect(sweep.add(1)?.room == .little)
    }

    @Test func `bodies stored by killed processes are counted`() throws {
        let capacity: Int64 = 4 << 20
        let body = String(repeating: "a", count: 5000)
        // The test closes no store; each stores less than a step.
        for number in 0..<400 { try place.store(capacity: capacity).add(body, "\(number)") }
        let store = place.store(capacity: capacity)
        try store.add(body, "last")
        store.close()
        #expect(try place.inventory.size() <= capacity)
    }
}
