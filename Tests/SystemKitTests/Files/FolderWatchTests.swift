import SystemKit
import TestSupport
import Testing

@Suite struct FolderWatchTests {
    /// Whether a watch of a folder reports a change that is made before its thread begins.
    private static func reports(
        _ folder: TemporaryFolder,
        _ change: (Folder) throws -> Void
    ) throws -> Bool {
        let watch = try FolderWatch(folder.path)
        try change(try Folder(path: folder.path, create: false))
        let changes = Inbox<Int>()
        try watch.start { changes.push(1) }
        let deadline = Clock.monotonicNanoseconds() + 20_000_000_000
        let isReported = !changes.takeAll(until: deadline).isEmpty
        watch.stop()
        watch.stop()
        return isReported
    }

    @Test func `a watch reports files that appear and disappear, also before its thread begins`()
        throws
    {
        let folder = try TemporaryFolder()
        #expect(
            try Self.reports(folder) {
                try OutputFile.replacePrivate("mark", in: $0, with: [UInt8]().span)
            }
        )
        #expect(try Self.reports(folder) { try $0.removeForCertain("mark") })
    }

    @Test func `a watch reports changes while its thread runs`() throws {
        let folder = try TemporaryFolder()
        let watch = try FolderWatch(folder.path)
        let changes = Inbox<Int>()
        try watch.start { changes.push(1) }
        try folder.write("a", to: "a")
        let deadline = Clock.monotonicNanoseconds() + 20_000_000_000
        #expect(!changes.takeAll(until: deadline).isEmpty)
        watch.stop()
    }

    @Test func `a folder that is not there cannot be watched`() {
        #expect(throws: SystemError.self) { try FolderWatch("/nonexistent/folder") }
    }
}
