import Glibc
import SystemKit
import TestSupport
import Testing

@Suite struct FolderChildrenTests {
    @Test func `every name in a folder is listed with its kind`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", to: "file")
        try folder.makeFolder("folder")
        for (target, link) in [("file", "to-file"), ("folder", "to-folder"), ("gone", "to-none")] {
            #expect(unsafe symlink(target, folder.path(link)) == 0)
        }
        #expect(unsafe mkfifo(folder.path("pipe"), 0o600) == 0)
        let children = try Folder.children(of: folder.path, limit: 100) ?? []
        #expect(
            Set(children) == [
                .init("file", .file), .init("folder", .folder), .init("to-file", .linkToFile),
                .init("to-folder", .linkToFolder), .init("to-none", .brokenLink),
                .init("pipe", .special),
            ]
        )
    }

    @Test func `a name that is not UTF-8 keeps its bytes`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("x\u{10FFFF}")
        #expect(unsafe path.withSystemText { unsafe creat($0, 0o600) } >= 0)
        let children = try Folder.children(of: folder.path, limit: 100) ?? []
        #expect(children.map(\.name.systemBytes) == [[0x78, 0xFF]])
    }

    @Test func `a folder with more names than the limit is not listed`() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "c"] { try folder.write("", to: name) }
        #expect(try Folder.children(of: folder.path, limit: 2) == nil)
        #expect(try Folder.children(of: folder.path, limit: 3)?.count == 3)
    }

    @Test func `a missing folder is an error`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SystemError.self) {
            try Folder.children(of: folder.path("gone"), limit: 1)
        }
        #expect(error?.isMissing == true)
    }
}
