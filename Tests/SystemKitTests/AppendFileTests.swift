import SystemKit
import TestSupport
import Testing

@Suite struct AppendFileTests {
    @Test func `what is added stands behind what is there`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("one ", to: "file")
        let folder = try Folder(path: temporary.path, create: false)
        let file = try AppendFile(in: folder, name: "file")
        try file.append(Array("two ".utf8))
        try file.append([])
        try file.append(Array("three".utf8), isDurable: false)
        #expect(try temporary.text("file") == "one two three")
    }

    @Test func `a file that is not there, and a link, are refused`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        #expect(throws: SystemError.self) { try AppendFile(in: folder, name: "file") }
        try temporary.write("", to: "target")
        _ = try Command("ln", ["-s", "target", temporary.path("link")]).run()
        #expect(throws: SystemError.self) { try AppendFile(in: folder, name: "link") }
    }

    @Test func `a full disk is told`() throws {
        let folder = try Folder(path: "/dev", create: false)
        let file = try AppendFile(in: folder, name: "full")
        let error = try #require(throws: SystemError.self) { try file.append([1]) }
        #expect(error.operation == "write")
    }

    @Test func `what cannot be synced is told`() throws {
        let folder = try Folder(path: "/dev", create: false)
        let file = try AppendFile(in: folder, name: "null")
        try file.append([1], isDurable: false)
        let error = try #require(throws: SystemError.self) { try file.append([1]) }
        #expect(error.operation == "sync")
    }
}
