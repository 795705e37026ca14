import SystemKit
import TestSupport
import Testing

@Suite struct ProcessLockTests {
    /// A process that takes the lock and keeps it until it is ended.
    private static func hold(_ path: String) throws -> RunningCommand {
        let script = """
            import fcntl, signal, sys
            file = open(sys.argv[1], "r+")
            fcntl.lockf(file, fcntl.LOCK_EX)
            print("held", file=sys.stderr, flush=True)
            signal.pause()
            """
        let running = try Command("python3", ["-c", script, path]).start()
        _ = try running.waitForLine(containing: "held")
        return running
    }

    @Test func `the kernel names the holder of the lock until its process ends`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        let lock = try ProcessLock(in: folder, name: "lock")
        #expect(lock.holder == nil)
        let other = try Self.hold(temporary.path("lock"))
        #expect(try !lock.take())
        #expect(lock.holder == .process(other.identifier))
        let process = try RunningProcess(other.identifier)
        #expect(!process.waitForEnd(until: 0))
        try process.send(.terminate)
        #expect(process.waitForEnd(until: Clock.monotonicNanoseconds() + 60_000_000_000))
        #expect(try other.finish().status == .signal(15))
        #expect(lock.holder == nil)
        #expect(try lock.take())
        // Its own is no other's.
        #expect(lock.holder == nil)
        #expect(try temporary.mode(of: "lock") == 0o600)
        // A process that has ended gets no signal.
        try process.send(.terminate)
    }

    @Test func `a symbolic link is no lock`() throws {
        let temporary = try TemporaryFolder()
        let link = Command("ln", ["-s", "target", temporary.path("lock")])
        #expect(try link.run().status == .exit(0))
        let folder = try Folder(path: temporary.path, create: false)
        #expect(throws: SystemError.self) { try ProcessLock(in: folder, name: "lock") }
    }

    @Test func `a missing process cannot be opened`() throws {
        let ended = try Command("true").start()
        let number = ended.identifier
        _ = try ended.finish()
        let error = #expect(throws: SystemError.self) { try RunningProcess(number) }
        #expect(error?.isNoProcess == true)
    }
}
