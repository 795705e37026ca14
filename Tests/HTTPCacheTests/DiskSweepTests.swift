import SystemKit
import TestSupport
import Testing

@testable import HTTPCache

@Suite struct DiskSweepTests {
    private let place: StoreFolder

    init() throws { place = try StoreFolder() }

    private func sweep(capacity: Int64 = 1 << 30) throws -> DiskSweep {
        DiskSweep(folders: try place.folders, capacity: capacity)
    }

    private let body = String(repeating: "a", count: 10_000)

    /// Stores a body under each number.
    private func fill(_ numbers: Range<Int>, fields: [String] = ["ETag: \"a\""]) throws {
        let store = place.store(capacity: 1 << 30)
        for number in numbers { try store.add(body, "\(number)", fields: fields) }
        store.close()
    }

    /// Stores `old` of two hours ago and `new` of now.
    private func fill(old: Range<Int>, new: Range<Int>, fields: [String] = ["ETag: \"a\""]) throws {
        try fill(old)
        try place.age(try old.map { "lists/\(try cacheKey("\($0)").name)" })
        try fill(new, fields: fields)
    }

    private func kept(of numbers: Range<Int>) throws -> Int {
        let store = place.store(capacity: 1 << 30)
        return try numbers.count { try !store.contents("\($0)").isEmpty }
    }

    @Test func `the least recently used responses go until nine tenths are left`() throws {
        try fill(old: 0..<20, new: 20..<60)
        let capacity = try place.inventory.size() / 60 * 50
        try sweep(capacity: capacity).run()
        #expect(try kept(of: 0..<20) == 5)
        #expect(try kept(of: 20..<60) == 40)
        #expect(try place.inventory.size() <= capacity / 10 * 9)
        #expect(try place.inventory.verify().isEmpty)
    }

    @Test func `nothing is removed while there is room`() throws {
        try fill(0..<40)
        try sweep(capacity: try place.inventory.size() / 40 * 50).run()
        #expect(try kept(of: 0..<40) == 40)
    }

    @Test(arguments: [
        (["Cache-Control: max-age=60"], true), ([], true),
        (["Cache-Control: max-age=2147483648"], false),
        (["Cache-Control: max-age=60", "Last-Modified: \(dayEarlier)"], false),
    ])
    func `useless responses go first`(fields: [String], isUseless: Bool) throws {
        try fill(old: 0..<30, new: 30..<60, fields: fields)
        try sweep(capacity: try place.inventory.size() / 60 * 50).run()
        #expect(try kept(of: 0..<30) == (isUseless ? 30 : 15))
        #expect(try kept(of: 30..<60) == (isUseless ? 15 : 30))
    }

    @Test func `a list that is being changed is passed over`() throws {
        try fill(0..<4)
        let lock = try place.lock(of: "1")
        try sweep(capacity: 1).run()
        withExtendedLifetime(lock) {}
        let locks = try (0..<4).map { DiskFolders.lockName(of: try cacheKey("\($0)").name) }
        #expect(try kept(of: 1..<2) == 1)
        let locked = locks.filter { $0 == locks[1] }
        #expect(try kept(of: 0..<4) == locked.count)
    }

    @Test func `leftovers of a killed process go after an hour, also for a URL in use`() throws {
        try place.add("one")
        let own = try #require(try place.names("bodies").first)
        try #require(try !place.store(stopsAt: .bodyNamed).add("two"))
        try #require(try !place.store(stopsAt: .bodyNamed).add("three", "y"))
        #expect(try place.names("bodies").count == 3)
        try sweep().run()
        #expect(try place.names("bodies").count == 3)
        try place.ageBodies()
        // They were looked for just now.
        try place.folders.root.remove("sweep.lock")
        try sweep().run()
        #expect(try place.names("bodies") == [own])
        #expect(try place.store().contents() == ["one"])
    }

    @Test func `a body that is about to be listed stays when the list goes`() throws {
        try place.add("one")
        let own = try #require(try place.names("bodies").first)
        try #require(try !place.store(stopsAt: .bodyNamed).add("two"))
        try sweep(capacity: 1).run()
        #expect(try place.names("lists").isEmpty)
        #expect(try place.names("bodies").count == 1)
        #expect(try !place.names("bodies").contains(own))
    }

    @Test func `lists are not read for leftovers at every sweep`() throws {
        try place.add("one")
        try sweep().run()
        try #require(try !place.store(stopsAt: .bodyNamed).add("two"))
        try place.ageBodies()
        try sweep().run()
        #expect(try place.names("bodies").count == 2)
    }

    @Test(arguments: [Int64.min, .max])
    func `a note with any number does not end the process`(number: Int64) throws {
        try place.add("one")
        try place.temporary.write("\(number)\n", to: place.inside("sweep.lock"), mode: 0o600)
        try sweep().run()
        #expect(try place.store().contents() == ["one"])
    }

    @Test func `several processes keep a store within its capacity, and what is useful in it`()
        throws
    {
        try fill(0..<40)
        let capacity = try place.inventory.size() * 3
        let (place, body) = (place, body)
        let threads = try (0..<4).map { thread in
            try JoinableThread(name: "store \(thread)") {
                let store = place.store(capacity: capacity)
                for number in 0..<100 {
                    _ = try? store.add(body, "\(thread)/\(number)", fields: [])
                }
                store.close()
            }
        }
        for thread in threads { thread.join() }
        #expect(try kept(of: 0..<40) == 40)
        let inventory = try place.inventory
        #expect(try inventory.size() <= capacity)
        #expect(try inventory.verify().isEmpty)
    }
}
