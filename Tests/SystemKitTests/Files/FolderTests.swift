import SystemKit
import TestSupport
import Testing

@Suite struct FolderTests {
    @Test func `a file system without a size has no available space`() throws {
        #expect(try Folder(path: "/proc", create: false).availableBytes == nil)
    }

    @Test func `a file system reports its available space`() throws {
        let folder = try TemporaryFolder()
        #expect(try Folder(path: folder.path, create: false).availableBytes ?? 0 > 0)
    }

    @Test func `a file is gone for certain, or there is an error`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("a", to: "file")
        try temporary.makeFolder("folder")
        let folder = try Folder(path: temporary.path, create: false)
        #expect(folder.entry(named: "file")?.name == "file")
        try folder.removeForCertain("file")
        try folder.removeForCertain("file")
        #expect(folder.entry(named: "file") == nil)
        #expect(folder.entry(named: "folder") == nil)
        #expect(throws: SystemError.self) { try folder.removeForCertain("folder") }
    }

    @Test func `a folder is the same by every path to it`() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("a")
        try folder.makeFolder("b")
        #expect(try Command("ln", ["-s", "a", folder.path("link")]).run().status == .exit(0))
        let identities = try ["a", "b/../a", "link", "b"].map {
            try Folder(path: folder.path($0), create: false).identity
        }
        #expect(Set(identities.prefix(3)).count == 1)
        #expect(Set(identities).count == 2)
    }

    @Test(arguments: [
        ("in", "in"), ("in/", "in"), ("link/../in", "in"), ("link", "in"),
        ("link/new/er/", "in/new/er"),
    ])
    func `a path without links leads to the same folder`(path: String, expected: String) throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("in")
        #expect(try Command("ln", ["-s", "in", folder.path("link")]).run().status == .exit(0))
        let base = Folder.canonicalPath(folder.path(""))
        #expect(Folder.canonicalPath(folder.path(path)) == "\(base)/\(expected)")
        #expect(Folder.canonicalPath("/") == "")
        #expect(Folder.canonicalPath("/missing-here/x") == "/missing-here/x")
    }

    @Test(arguments: [false, true])
    func `folders are made with their parents, durable or not`(isDurable: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("in")
        let path = folder.path("in/a/b")
        for _ in 0..<2 {
            _ = try Folder(path: path, create: true, mode: 0o700, isDurable: isDurable)
        }
        #expect(try folder.mode(of: "in/a") == 0o700)
        #expect(try folder.mode(of: "in/a/b") == 0o700)
    }
}
