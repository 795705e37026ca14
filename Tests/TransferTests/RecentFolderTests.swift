import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct RecentFolderTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private func file(in folder: String) -> TaskSpec.Destination {
        TaskSpec.Destination(path: folder + "/f", displayPath: "f")
    }

    @Test func `a folder that was moved away is opened anew before long`() throws {
        let root = try TemporaryFolder()
        let file = file(in: root.path("a/b"))
        var recent = RecentFolder()
        let first = try recent.open(of: file, at: time(0))
        #expect(try recent.open(of: file, at: time(99)) === first)
        #expect(try recent.open(of: file, at: time(100)) === first)
        let move = Command("mv", ["a", "old"], workingFolder: root.path)
        #expect(try move.run().status == .exit(0))
        #expect(try recent.open(of: file, at: time(199)) === first)
        #expect(try recent.open(of: file, at: time(200)) !== first)
        #expect(root.contains("a/b"))
    }

    @Test(arguments: [
        ("/f", "/", "f"), ("f", ".", "f"), ("/a/b/f", "/a/b", "f"), ("a/f", "a", "f"),
    ])
    func `a path is a folder and a name in it`(path: String, folder: String, name: String) {
        let file = TaskSpec.Destination(path: path, displayPath: path)
        #expect(file.folder == folder)
        #expect(file.name == name)
        #expect(file.isIn(folder) == ["/a/b", "a"].contains(folder))
    }

    @Test(arguments: ["/dev/shm", "/proc", "/"])
    func `a folder in memory is known as such`(path: String) throws {
        let kind = try Command("stat", ["-f", "-c", "%T", path]).run().standardOutput
        var recent = RecentFolder()
        let isInMemory = recent.isInMemory(of: file(in: path), at: time(0))
        #expect(isInMemory == ["tmpfs\n", "ramfs\n"].contains(kind), "\(kind)")
        let isMissingInMemory = recent.isInMemory(of: file(in: path + "/not/there"), at: time(0))
        #expect(!isMissingInMemory)
    }

    @Test func `another path is another folder`() throws {
        let root = try TemporaryFolder()
        var recent = RecentFolder()
        let first = try recent.open(of: file(in: root.path("a")), at: time(0))
        #expect(try recent.open(of: file(in: root.path("b")), at: time(0)) !== first)
        var forgotten = [recent.forgetIfMoved()]
        let removal = Command("rmdir", ["b"], workingFolder: root.path)
        #expect(try removal.run().status == .exit(0))
        forgotten += [recent.forgetIfMoved(), recent.forgetIfMoved()]
        #expect(forgotten == [false, true, false])
    }
}
