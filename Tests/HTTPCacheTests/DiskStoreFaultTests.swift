import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import HTTPCache

/// The disk store under faults of its surroundings.
@Suite struct DiskStoreFaultTests {
    private let place: StoreFolder

    init() throws { place = try StoreFolder() }

    @Test
    func `while the lock of a list is held, nothing is stored or left over`()
        throws
    {
        let store = place.store()
        try store.add("one")
        do {
            let lock = try place.lock(of: "x")
            #expect(try !store.add("two"))
            #expect(try !store.add("three"))
            withExtendedLifetime(lock) {}
        }
        #expect(try place.names("bodies").count == 1)
        #expect(store.fault == nil)
        #expect(try store.contents() == ["one"])
        #expect(try store.add("four"))
        #expect(try store.contents() == ["four"])
    }

    @Test func `a list that could not be read back is not written`() throws {
        let store = place.store()
        try store.add("one")
        for name in ["accept language", ""] {
            let selection = Selection([.init(name: name, fingerprint: nil)])
            #expect(try !store.add("two", selection: selection))
        }
        let many = (0..<70).map { Selection.Field(name: "x-\($0)", fingerprint: "1") }
        #expect(try !store.add("two", selection: Selection(many)))
        #expect(try store.contents() == ["one"])
        #expect(try place.names("bodies").count == 1)
        #expect(try place.inventory.verify().isEmpty)
    }

    @Test func `the oldest responses make room in a list for the newest`() throws {
        let store = place.store()
        let padding = "Padding: " + String(repeating: "p", count: 30_000)
        for variant in 1...5 {
            #expect(try store.add("\(variant)", by: "\(variant)", fields: [padding]))
        }
        #expect(try store.contents() == ["4", "5"])
        #expect(try place.names("bodies").count == 2)
        let two = "Padding: " + String(repeating: "p", count: 70_000)
        #expect(try !store.add("6", by: "6", fields: [two]))
        #expect(try store.contents() == ["4", "5"])
    }

    /// Makes every later write fail, for any user of the tests.
    private func breakLocks() throws {
        for digit in "0123456789abcdef" {
            try place.folders.root.remove("lock-\(digit)")
            try place.temporary.makeFolder(place.inside("lock-\(digit)"))
        }
    }

    @Test func `responses are invalidated even if nothing can be written`() throws {
        try place.add("one")
        try breakLocks()
        let store = place.store()
        #expect(try store.contents() == ["one"])
        #expect(try !store.add("two", "y"))
        #expect(store.fault != nil)
        #expect(try store.contents() == [])
        #expect(!store.isEmpty)
        store.remove(try cacheKey())
        #expect(try place.store().contents() == [])
        #expect(try place.names("lists").isEmpty)
    }

    @Test func `a store whose responses cannot be removed is not used`() throws {
        try place.add("one")
        try place.temporary.makeFolder(place.list(of: "y"))
        let store = place.store()
        #expect(try store.contents() == ["one"])
        store.remove(try cacheKey("y"))
        #expect(store.fault?.contains("cannot remove") == true)
        #expect(try store.contents() == [])
    }

    @Test func `responses of a list that other users may write are not copied`() throws {
        let store = place.store()
        try store.add("one", by: "1")
        let text = try place.temporary.read(place.list())
        try place.temporary.write(text, to: place.list(), mode: 0o606)
        #expect(try store.contents() == [])
        try store.add("two", by: "2")
        #expect(try store.contents() == ["two"])
    }

    @Test func `a body that other users may write is not served`() throws {
        let store = place.store()
        try store.add("one")
        let body = place.inside("bodies/" + (try #require(try place.names("bodies").first)))
        try place.temporary.write("one", to: body, mode: 0o660)
        #expect(try store.contents() == [])
        try place.temporary.write("one", to: body, mode: 0o600)
        #expect(try store.contents() == ["one"])
    }

    @Test(arguments: [".", "lists", "bodies"])
    func `a folder that other users may write in is not used`(name: String) throws {
        try place.add("one")
        let path = place.temporary.path(place.inside(name))
        try #require(try Command("chmod", ["0770", path]).run().status == .exit(0))
        let store = place.store()
        #expect(try store.contents() == [])
        #expect(store.fault?.contains("other users may write") == true)
    }

    @Test func `a list that is damaged goes, and what it named with the next sweep`() throws {
        try place.add("one")
        try place.temporary.write("damaged", to: place.list(), mode: 0o600)
        #expect(try place.store().contents() == [])
        #expect(try place.names("lists").isEmpty)
        try place.ageBodies()
        #expect(try place.inventory.verify().map(\.isDamage) == [false])
        DiskSweep(folders: try place.folders, capacity: 1 << 20).run()
        #expect(try place.names("bodies").isEmpty)
    }

    @Test func `a body that is gone before it was listed is not listed`() throws {
        let (place, path) = (place, place.path)
        let store = DiskStore(directory: path, capacity: 1 << 20) { step in
            if step == .bodyNamed { _ = try? place.inventory.clear() }
            return false
        }
        #expect(try !store.add("one"))
        #expect(try place.names("lists").isEmpty)
        #expect(store.fault == nil)
    }

    // Otherwise backup programs would omit other files in a folder that a job names.
    @Test func `a store makes only its own folder in its directory`() throws {
        try place.add("one")
        #expect(try place.temporary.list("cache") == ["responses-1"])
        #expect(try place.names(".").contains("CACHEDIR.TAG"))
    }
}
