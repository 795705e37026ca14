import SystemKit
import TestSupport
import Testing

@Suite struct FileLockTests {
    @Test func `a lock is held by one alone and given back with its object`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        let now = Clock.monotonicNanoseconds()
        do {
            let lock = try FileLock(in: folder, name: "lock", until: now)
            try withExtendedLifetime(lock) {
                let error = try #require(throws: SystemError.self) {
                    _ = try FileLock(in: folder, name: "lock", until: now)
                }
                #expect(error.operation == "lock")
            }
        }
        _ = try FileLock(in: folder, name: "lock", until: now)
        #expect(temporary.contains("lock"))
    }

    @Test func `a symbolic link is no lock`() throws {
        let temporary = try TemporaryFolder()
        let link = Command("ln", ["-s", "target", temporary.path("lock")])
        #expect(try link.run().status == .exit(0))
        let folder = try Folder(path: temporary.path, create: false)
        #expect(throws: SystemError.self) {
            _ = try FileLock(in: folder, name: "lock", until: 0)
        }
    }
}
