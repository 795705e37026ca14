import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct UploadStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path("uploads/job") }

    private func partial(confirmed: Int64 = 0) throws -> PartialUpload {
        PartialUpload(
            url: try TransferURL("http://a.test/u/1"),
            version: .v6,
            digest: "d",
            salt: "s",
            total: 1000,
            confirmed: confirmed,
            creationDate: Timestamp(microseconds: 0)
        )
    }

    /// The names of the records.
    private func records() throws -> [String] {
        try folder.list("uploads/job").filter { $0 != ".lock" }
    }

    @Test func `the next run finds a record by its task's id`() throws {
        do {
            let store = UploadStore(folder: path)
            #expect(store.find("a") == nil)
            #expect(!folder.contains("uploads"))
            #expect(store.keep(try partial(), of: "a"))
            #expect(store.keep(try partial(confirmed: 5), of: "a"))
            store.flush()
        }
        #expect(try records().count == 1)
        #expect(try folder.mode(of: "uploads/job") == 0o700)
        #expect(try folder.mode(of: "uploads/job/\(try records()[0])") == 0o600)
        let store = UploadStore(folder: path)
        #expect(store.find("b") == nil)
        #expect(store.find("a")?.confirmed == 5)
        store.forget("a")
        #expect(try records() == [])
        #expect(store.find("a") == nil)
    }

    @Test func `an upload that ends before its record is written leaves none`() throws {
        let store = UploadStore(folder: path)
        #expect(store.keep(try partial(), of: "a"))
        store.forget("a")
        store.flush()
        #expect(try records() == [])
        #expect(store.keep(try partial(), of: "a"))
        store.flush()
        #expect(try records().count == 1)
    }

    @Test func `a record that cannot be written is not kept`() throws {
        let store = UploadStore(folder: path)
        #expect(store.keep(try partial(), of: "a"))
        #expect(store.isWritten("a"))
        #expect(try Command("rm", ["-r", path]).run().status == .exit(0))
        #expect(store.keep(try partial(), of: "b"))
        #expect(!store.isWritten("b"))
        #expect(!UploadStore(folder: path).isWritten("a"))
    }

    @Test func `an unreadable record is not written`() throws {
        let store = UploadStore(folder: path)
        let long = PartialUpload(
            url: try TransferURL("http://a.test/" + String(repeating: "u", count: 1 << 16)),
            version: .v6,
            digest: "d",
            salt: "s",
            total: 1000,
            creationDate: Timestamp(microseconds: 0)
        )
        #expect(!store.keep(long, of: "a"))
    }

    @Test func `an unreadable folder counts as an obstacle`() throws {
        // A link to itself.
        try folder.link("circle", to: "circle")
        let path = folder.path("circle")
        let store = UploadStore(folder: path)
        guard case .unreadable(let error) = store.obstacle(to: "a") else {
            Issue.record("the folder can be read")
            return
        }
        #expect(error.subject == path)
        #expect(!store.keep(try partial(), of: "a"))
        #expect(UploadStore(folder: folder.path("uploads/none")).obstacle(to: "a") == nil)
    }

    @Test func `a changed record does not count as missing`() throws {
        do {
            let store = UploadStore(folder: path)
            #expect(store.keep(try partial(), of: "a"))
            store.flush()
        }
        let name = try #require(try records().first)
        try folder.write("x", to: "uploads/job/\(name)")
        let store = UploadStore(folder: path)
        #expect(store.find("a") == nil)
        #expect(store.obstacle(to: "a") == .damaged("\(path)/\(name)"))
        store.forget("a")
        #expect(store.obstacle(to: "a") == nil)
        #expect(try records() == [])
    }

    @Test func `a simultaneous second run finds and keeps no records`() throws {
        let first = UploadStore(folder: path)
        #expect(first.keep(try partial(), of: "a"))
        first.flush()
        let second = UploadStore(folder: path)
        #expect(second.find("a") == nil)
        #expect(!second.keep(try partial(), of: "b"))
        #expect(second.obstacle(to: "a") == .elsewhere)
        #expect(second.obstacle(to: "b") == nil)
        second.forget("a")
        #expect(try records().count == 1)
        #expect(first.obstacle(to: "b") == nil)
        withExtendedLifetime(first) {}
    }

    @Test func `a record that is unused for a month is removed, a requested one stays`() throws {
        do {
            let store = UploadStore(folder: path)
            var known: Set<String> = []
            for (id, age) in [("old", 31), ("new", 29), ("asked", 365)] {
                #expect(store.keep(try partial(), of: id))
                store.flush()
                let name = try #require(Set(try records()).subtracting(known).first)
                known.insert(name)
                let place = folder.path("uploads/job/\(name)")
                let touch = Command("touch", ["-d", "\(age) days ago", place])
                #expect(try touch.run().status == .exit(0))
            }
        }
        let store = UploadStore(folder: path)
        #expect(store.find("asked") != nil)
        store.sweep()
        #expect(store.find("old") == nil)
        #expect(store.find("new") != nil)
        #expect(try records().count == 2)
    }

    @Test(arguments: ["", "x", "{}\n\"0\"\n"])
    func `an incomplete or foreign record is not used`(text: String) throws {
        do {
            let store = UploadStore(folder: path)
            #expect(store.keep(try partial(), of: "a"))
            store.flush()
        }
        try folder.write(text, to: "uploads/job/\(try records()[0])")
        #expect(UploadStore(folder: path).find("a") == nil)
    }
}
