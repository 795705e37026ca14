import Glibc
import SystemKit
import TestSupport
import Testing

@Suite struct PipeReaderTests {
    private func read(_ pipe: PipeReader) throws -> (PipeReader.Read, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: 100)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        return (try pipe.read(into: &raw), bytes)
    }

    @Test func `a named pipe is readable only after a write`() throws {
        let folder = try TemporaryFolder()
        #expect(try Command("mkfifo", [folder.path("fifo")]).run().status == .exit(0))
        let pipe = try PipeReader(fifo: folder.path("fifo"))
        let poll = EventPoll(try EventPoll.WakeUp())
        try poll.watch(pipe.descriptor, for: .readable, tag: 7)
        var events: [EventPoll.Event] = []
        _ = poll.wait(milliseconds: 0, into: &events)
        #expect(events.isEmpty)
        let writing = try Command("sh", ["-c", "echo hi > fifo"], workingFolder: folder.path).run()
        #expect(writing.status == .exit(0))
        _ = poll.wait(milliseconds: -1, into: &events)
        #expect(events.map(\.tag) == [7])
        let (count, bytes) = try read(pipe)
        #expect(count == .bytes(3))
        #expect(bytes.starts(with: Array("hi\n".utf8)))
        #expect(try read(pipe).0 == .end)
    }

    @Test func `something else than a named pipe is refused`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        for path in [folder.path("file"), folder.path, "/dev/null"] {
            let error = #expect(throws: SystemError.self) { try PipeReader(fifo: path) }
            #expect(error?.errno == EINVAL)
        }
        let error = #expect(throws: SystemError.self) { try PipeReader(fifo: folder.path("gone")) }
        #expect(error?.isMissing == true)
    }
}
