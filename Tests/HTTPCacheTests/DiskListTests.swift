import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import HTTPCache

@Suite struct DiskListTests {
    private let place: StoreFolder

    init() throws { place = try StoreFolder() }

    private func read() throws -> DiskList? {
        DiskList.read(try cacheKey().name, in: try place.folders)
    }

    @Test func `a list is read as it was written`() throws {
        try place.store().add("one", by: "1")
        let list = try #require(try read())
        #expect(list.fault == nil)
        #expect(list.url == "http://a.example/x")
        #expect(list.responses.map(\.selection.fields.count) == [1])
        let size = try place.temporary.size(of: place.list())
        #expect(list.size == Int64(size))
    }

    @Test func `without a file there is no list`() throws {
        try place.store().add("one", "y")
        #expect(try read() == nil)
    }

    @Test func `a file that others may write is not used`() throws {
        try place.store().add("one")
        let text = try place.temporary.read(place.list())
        try place.temporary.write(text, to: place.list(), mode: 0o620)
        #expect(try read()?.fault == .exposed)
        #expect(try read()?.responses == [])
    }

    @Test func `an unreadable list is a fault, not a missing list`() throws {
        try place.store().add("one", "y")
        try place.temporary.makeFolder(place.list())
        #expect(try read()?.fault == .unreadable)
    }

    // A cache folder that was brought from elsewhere may say anything, with the right hash.
    @Test(arguments: [
        "../../../secret", "/etc/passwd", "..", ".x", "KEY", "KEY.", "KEY/x", "KEY./x", "KEY.X",
        "KEY/../../../secret", "10000000000000000000000000000000.x",
    ])
    func `a list that names what is no body of its URL is not believed`(name: String) throws {
        let store = place.store()
        try store.add("one")
        try place.temporary.write("two", to: "secret", mode: 0o600)
        var response = try #require(store.find(try cacheKey()).first)
        let own = DiskFolders.prefix(of: try cacheKey().name)
        response.body.name = name.hasPrefix("KEY") ? "\(own)\(name.dropFirst(3))" : name
        let text = EntryText.make([response], url: try cacheKey().url)
        try place.temporary.write(text, to: place.list(), mode: 0o600)
        #expect(try read()?.fault == .damaged)
        #expect(store.find(try cacheKey()).isEmpty)
        #expect(try place.temporary.text("secret") == "two")
    }

    @Test(arguments: [
        ("accept", true), (":partition", true), ("accept language", false), ("", false),
        ("a\nb", false), ("é", false),
    ])
    func `a list has words for the names of fields`(name: String, isHeld: Bool) {
        var response = sample("ETag: \"a\"")
        response.selection = Selection([.init(name: name, fingerprint: "1")])
        #expect(DiskList.canHold(response) == isHeld)
    }

    @Test func `a list has room for some fields of a selection`() {
        var response = sample("ETag: \"a\"")
        let fields = (0..<65).map { Selection.Field(name: "x-\($0)", fingerprint: nil) }
        response.selection = Selection(fields)
        #expect(!DiskList.canHold(response))
        response.selection = Selection(Array(fields.dropLast()))
        #expect(DiskList.canHold(response))
        let text = EntryText.make([response], url: "http://a.example/")
        #expect(EntryText.parse(text)?.responses.first?.selection == response.selection)
    }
}
