import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct RecentFolderTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    @Test func `a folder that was moved away is opened anew before long`() throws {
        let root = try TemporaryFolder()
        let path = root.path("a/b")
        var recent = RecentFolder()
        let first = try recent.open(path, at: time(0))
        #expect(try recent.open(path, at: time(99)) === first)
        #expect(try recent.open(path, at: time(100)) === first)
        let move = Command("mv", ["a", "old"], workingFolder: root.path)
        #expect(try move.run().status == .exit(0))
        #expect(try recent.open(path, at: time(199)) === first)
        #expect(try recent.open(path, at: time(200)) !== first)
        #expect(root.contains("a/b"))
    }

    @Test func `another path is another folder`() throws {
        let root = try TemporaryFolder()
        var recent = RecentFolder()
        let first = try recent.open(root.path("a"), at: time(0))
        #expect(try recent.open(root.path("b"), at: time(0)) !== first)
        var forgotten = [recent.forgetIfMoved()]
        let removal = Command("rmdir", ["b"], workingFolder: root.path)
        #expect(try removal.run().status == .exit(0))
        forgotten += [recent.forgetIfMoved(), recent.forgetIfMoved()]
        #expect(forgotten == [false, true, false])
    }
}
