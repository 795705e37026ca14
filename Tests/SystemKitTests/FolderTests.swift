import SystemKit
import TestSupport
import Testing

@Suite struct FolderTests {
    @Test func `a file system of no size does not say what is available`() throws {
        #expect(try Folder(path: "/proc", create: false).availableBytes == nil)
    }

    @Test func `a file system with room says how much`() throws {
        let folder = try TemporaryFolder()
        #expect(try Folder(path: folder.path, create: false).availableBytes ?? 0 > 0)
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
}
