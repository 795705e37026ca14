import TestSupport
import Testing

@testable import SystemKit

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

    @Test func `a taken lock shows its holder's note, also after a longer one`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        let first = try FileLock(in: folder, name: "lock")
        let second = try FileLock(in: folder, name: "lock")
        #expect(first.note == nil)
        #expect(try first.take())
        #expect(try !second.take())
        first.write(note: "a long note")
        #expect(second.note == "a long note")
        first.write(note: "1")
        #expect(second.note == "1")
        #expect(try temporary.mode(of: "lock") == 0o600)
    }

    @Test func `a waiter gets the lock as soon as the holder releases it`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        let taken = Inbox<Bool>()
        var holder: FileLock? = try FileLock(in: folder, name: "lock")
        #expect(try holder?.take() == true)
        let waiter = try FileLock(in: folder, name: "lock")
        let thread = try JoinableThread(name: "waiter") {
            taken.push((try? waiter.waitAndTake()) != nil)
        }
        holder = nil
        #expect(taken.takeAll(until: nil) == [true])
        thread.join()
        #expect(holder == nil)
    }

    @Test func `a file system without locks is named as the reason`() {
        let error = SystemError.notLockable("state/locks/a.lock", errno: 37)
        #expect(
            error.message.hasPrefix("cannot lock state/locks/a.lock: its file system has no locks")
        )
        #expect(!SystemError.notLockable("a", errno: 5).message.contains("no locks"))
    }
}
