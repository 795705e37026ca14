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
}
