import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct LeftUploadsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Leaves records of uploads of some tasks.
    private func leave(_ tasks: [(id: String, url: String)], isPlain: Bool = true) throws {
        let store = UploadStore(folder: folder.path)
        for task in tasks {
            let partial = PartialUpload(
                url: try TransferURL(task.url),
                version: .v5,
                digest: "d",
                salt: "s",
                isPlain: isPlain,
                total: 1000,
                creationDate: Timestamp(microseconds: 0)
            )
            #expect(store.keep(partial, of: task.id))
        }
        store.flush()
    }

    private func giveUp(_ left: LeftUploads) throws -> Int {
        try left.giveUp(
            clock: RunClock(
                wall: Timestamp(microseconds: 0),
                monotonic: .now,
                maximumSkewMicroseconds: 0
            ),
            environment: { _ in nil },
            patience: .seconds(60)
        )
    }

    private func records() throws -> Int {
        try folder.list().count { $0.hasSuffix(".upload") }
    }

    @Test func `uploads at a server with session settings are not cancelled without them`() throws {
        let server = try ScriptedServer(["/1": [.status(204)]])
        try leave([("a", server.url("/1"))], isPlain: false)
        #expect(try giveUp(LeftUploads(in: folder.path)) == 0)
        #expect(server.requests.isEmpty)
        #expect(try records() == 0)
    }

    @Test func `giving uploads up sends DELETE and removes the records`() throws {
        let server = try ScriptedServer(["/1": [.status(204)], "/2": [.status(500)]])
        let closed = try ClosedPort()
        try leave([
            ("a", server.url("/1")), ("b", server.url("/2")), ("c", server.url("/3")),
            ("d", "\(closed.origin)/4"),
        ])
        let left = LeftUploads(in: folder.path)
        #expect(left.count == 4)
        #expect(try giveUp(left) == 2)
        #expect(Set(server.requests.map(\.target)) == ["/1", "/2", "/3"])
        #expect(Set(server.requests.map(\.method)) == ["DELETE"])
        #expect(server.requests[0].headers["Upload-Draft-Interop-Version"] == "5")
        #expect(try records() == 0)
    }

    @Test func `all servers are notified, in several batches`() throws {
        let server = try ScriptedServer { _ in .status(204) }
        try leave((0..<40).map { ("\($0)", server.url("/\($0)")) })
        #expect(try giveUp(LeftUploads(in: folder.path)) == 40)
        #expect(Set(server.requests.map(\.target)).count == 40)
        #expect(try records() == 0)
    }

    @Test func `uploads of some tasks are selected by their ids`() throws {
        let server = try ScriptedServer(["/1": [.status(204)]])
        try leave([("a", server.url("/1")), ("b", server.url("/2"))])
        #expect(try giveUp(LeftUploads(in: folder.path, of: ["a", "x"])) == 1)
        #expect(server.requests.map(\.target) == ["/1"])
        #expect(try records() == 1)
    }

    @Test func `records that a run holds stay with it`() throws {
        let server = try ScriptedServer(["/1": [.status(204)]])
        try leave([("a", server.url("/1"))])
        let run = UploadStore(folder: folder.path)
        #expect(run.find("a") != nil)
        #expect(LeftUploads(in: folder.path).count == 0)
        #expect(try giveUp(LeftUploads(in: folder.path + "/none")) == 0)
        #expect(try records() == 1)
        withExtendedLifetime(run) {}
    }
}
