import SystemKit
import TestSupport
import Testing

@Suite struct FolderProbeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a folder is tried out and left unchanged`() throws {
        let probe = try FolderProbe(folder.path)
        #expect(probe.exists)
        #expect(probe.path == folder.path)
        #expect(probe.isOwn)
        #expect(probe.refusal == nil)
        #expect(probe.canReplace)
        #expect(probe.hasHardLinks || probe.canRenameToFree)
        #expect(try folder.list().isEmpty)
    }

    @Test func `for a missing folder the nearest existing one is tried`() throws {
        let probe = try FolderProbe(folder.path("a/b/c"))
        #expect(!probe.exists)
        #expect(probe.path == folder.path)
        #expect(try folder.list().isEmpty)
    }

    @Test func `a folder below a file cannot be`() throws {
        let path = try folder.write("x", to: "file")
        #expect(throws: SystemError.self) { try FolderProbe(path + "/folder") }
    }

    @Test func `the kernel's own folder takes no files`() throws {
        let probe = try FolderProbe("/proc/self")
        #expect(probe.fileSystem == "proc")
        #expect(probe.refusal != nil)
        #expect(!probe.hasUnnamedFiles)
        #expect(!probe.canReplace)
    }
}
