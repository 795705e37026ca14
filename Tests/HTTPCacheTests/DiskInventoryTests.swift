import SystemKit
import TestSupport
import Testing

@testable import HTTPCache

@Suite struct DiskInventoryTests {
    private let place: StoreFolder

    init() throws { place = try StoreFolder() }

    @Test func `a folder without a store has no inventory`() throws {
        #expect(try DiskInventory.open(place.path) == nil)
    }

    @Test func `the inventory lists every response with its size`() throws {
        let store = place.store()
        try store.add("one", by: "1")
        try store.add("three", by: "2")
        try store.add("four", "y")
        var items: [String] = []
        try place.inventory.forEachItem { items.append("\($0.url) \($0.size)") }
        #expect(
            items.sorted() == [
                "http://a.example/x 3", "http://a.example/x 5", "http://a.example/y 4",
            ]
        )
    }

    @Test func `leftovers of killed processes of any age are no damage`() throws {
        try place.add("one")
        for step in DiskStore.Step.allCases { try place.store(stopsAt: step).add("two") }
        #expect(try place.inventory.verify().isEmpty)
        try place.ageBodies()
        let faults = try place.inventory.verify()
        #expect(faults.count == 3)
        #expect(faults.allSatisfy { !$0.isDamage })
    }

    @Test func `damaged, missing and exposed files are reported`() throws {
        let store = place.store()
        for path in ["a", "b", "c", "d"] { try store.add("one", path) }
        let bodies = try ["a", "b", "c"].map { path in
            place.inside("bodies/" + (try #require(store.find(try cacheKey(path)).first).body.name))
        }
        try place.temporary.write("two", to: bodies[0], mode: 0o600)
        try place.folders.root.remove("bodies/" + bodies[1].split(separator: "/")[3])
        try place.temporary.write("one", to: bodies[2], mode: 0o644)
        try place.temporary.write("one", to: place.list(of: "d"), mode: 0o600)
        let faults = try place.inventory.verify()
        #expect(faults.map(\.isDamage) == [true, true, true, true])
        let names =
            try bodies.map { String($0.dropFirst("cache/responses-1/".count)) }
            + ["lists/" + cacheKey("d").name]
        #expect(Set(faults.map(\.name)) == Set(names))
        #expect(Set(faults.map(\.reason)).count == 4)
    }

    @Test func `removed responses are counted`() throws {
        try place.add("one")
        #expect(try place.inventory.clear() == 2)
        #expect(try place.inventory.clear() == 0)
        #expect(try place.inventory.size() == 0)
    }
}
