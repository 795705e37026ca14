import SystemKit
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    /// Far away: a test that waits for it has failed.
    private static func farAway() -> Int64 { Clock.monotonicNanoseconds() + 60_000_000_000 }

    private static func run(_ arguments: [String], in folder: String = "/") throws
        -> ChildProcess.Captured
    {
        try ChildProcess(arguments, in: folder)
            .capture(limit: 1 << 20, until: farAway())
    }

    @Test func `arguments reach the program unchanged, without a shell`() throws {
        let captured = try Self.run(["printf", "%s|", "a b", "$HOME", "`id`", "*", "", "ü"])
        #expect(captured.outcome == .ended(.exited(0)))
        #expect(String(decoding: captured.output, as: UTF8.self) == "a b|$HOME|`id`|*||ü|")
        #expect(captured.error.isEmpty && !captured.isErrorCut)
    }

    @Test func `a child runs in the folder and finds a program relative to it`() throws {
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\npwd -P\n", to: "where", mode: 0o755)
        let captured = try Self.run(["./where"], in: folder.path)
        #expect(String(decoding: captured.output, as: UTF8.self) == folder.path + "\n")
    }

    @Test(arguments: [
        ("exit 0", ChildProcess.Status.exited(0)), ("exit 3", .exited(3)),
        ("kill -TERM $$", .killed(signal: 15)),
    ])
    func `a child reports its end`(script: String, status: ChildProcess.Status) throws {
        #expect(try Self.run(["sh", "-c", script]).outcome == .ended(status))
    }

    @Test func `both streams are read, however much is written`() throws {
        let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; printf x >&2"
        let captured = try Self.run(["sh", "-c", script])
        #expect(captured.outcome == .ended(.exited(0)))
        #expect(captured.output.count == 300_000)
        #expect(captured.error.count == 16 * 1024 && captured.isErrorCut)
    }

    @Test(arguments: [(10, true), (9, false)])
    func `more output than wanted ends it`(limit: Int, fits: Bool) throws {
        let child = try ChildProcess(["printf", "0123456789"], in: "/")
        let captured = try child.capture(limit: limit, until: Self.farAway())
        #expect(captured.outcome == (fits ? .ended(.exited(0)) : .tooMuchOutput))
    }

    @Test func `a program that writes endlessly is killed`() throws {
        let child = try ChildProcess(["yes"], in: "/")
        #expect(try child.capture(limit: 100, until: Self.farAway()).outcome == .tooMuchOutput)
        #expect(child.wait(until: nil) == .killed(signal: 9))
    }

    @Test func `a program that exceeds its time is killed with its children`() throws {
        let child = try ChildProcess(["sh", "-c", "sleep 1000 & sleep 1000"], in: "/")
        let deadline = Clock.monotonicNanoseconds() + 1_000_000
        #expect(try child.capture(limit: 100, until: deadline).outcome == .timedOut)
        #expect(child.wait(until: nil) == .killed(signal: 9))
        // No process holds the pipe any more: the background process is gone too.
        #expect(
            try child.capture(limit: 100, until: Self.farAway()).outcome
                == .ended(.killed(signal: 9))
        )
    }

    @Test func `a program without input reads the end of a pipe, not a file of the machine`() throws
    {
        let child = try ChildProcess(["sh", "-c", "readlink /proc/self/fd/0; cat"], in: "/")
        let captured = try child.capture(limit: 100, until: Self.farAway())
        #expect(captured.outcome == .ended(.exited(0)))
        #expect(String(decoding: captured.output, as: UTF8.self).hasPrefix("pipe:"))
    }

    @Test func `a running program with closed output is waited for`() throws {
        let child = try ChildProcess(["sh", "-c", "exec >&-; exec sleep 1000"], in: "/")
        let deadline = Clock.monotonicNanoseconds() + 50_000_000
        #expect(try child.capture(limit: 100, until: deadline).outcome == .timedOut)
        #expect(child.wait(until: nil) == .killed(signal: 9))
    }

    @Test func `a child reads what is written to its input until that ends`() throws {
        ProcessContext.ignoreWriteSignals()
        let child = try ChildProcess(["cat"], in: "/", hasInput: true)
        let input = try #require(child.input)
        #expect(try input.write(Array("hello".utf8).span) == .bytes(5))
        #expect(!child.hasEnded)
        input.end()
        #expect(try input.write([1].span) == .closed)
        let captured = try child.capture(limit: 100, until: Self.farAway())
        #expect(captured.outcome == .ended(.exited(0)))
        #expect(captured.output == Array("hello".utf8))
    }

    @Test func `writing waits neither for a full pipe nor for a reader that is gone`() throws {
        ProcessContext.ignoreWriteSignals()
        let child = try ChildProcess(["sleep", "1000"], in: "/", hasInput: true)
        let input = try #require(child.input)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        guard case .bytes(let count) = try input.write(bytes.span) else {
            Issue.record("the empty pipe took nothing")
            return
        }
        #expect(count < bytes.count)
        #expect(try input.write(bytes.span) == .full)
        child.kill()
        #expect(child.awaitEnd(until: Self.farAway()))
        #expect(try input.write(bytes.span) == .closed)
    }

    @Test func `a group is killed after its leader has ended`() throws {
        let child = try ChildProcess(["sh", "-c", "sleep 1000 & exit 3"], in: "/")
        #expect(child.awaitEnd(until: Self.farAway()))
        #expect(child.hasEnded)
        child.kill()
        // No process holds the output any more.
        let captured = try child.capture(limit: 100, until: Self.farAway())
        #expect(captured.outcome == .ended(.exited(3)))
    }

    @Test func `a child inherits no file, no input and no ignored SIGPIPE`() throws {
        ProcessContext.ignoreWriteSignals()
        let folder = try TemporaryFolder()
        let file = try InputFile(path: try folder.write("x", to: "open"))
        let open = try Self.run(["sh", "-c", "cat; exec ls /proc/self/fd"])
        // `ls` opens the folder that it lists.
        #expect(String(decoding: open.output, as: UTF8.self) == "0\n1\n2\n3\n")
        let signals = try Self.run(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
        let lines = String(decoding: signals.output, as: UTF8.self).split(separator: "\n")
        let masks = lines.compactMap { line in
            line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        }
        #expect(masks.count == 2 && masks[0] == 0)
        // SIGPIPE and SIGXFSZ.
        #expect(masks.last.map { $0 & (1 << 12 | 1 << 24) } == 0)
        #expect(file.isUnchanged)
    }

    @Test(arguments: [
        ["no-such-program-anywhere"], ["./no-such-program"], ["/"], [], ["printf", "a\0b"],
    ])
    func `a program that cannot be started is an error`(arguments: [String]) throws {
        #expect(throws: SystemError.self) { try ChildProcess(arguments, in: "/") }
    }

    @Test func `a child that has left its group is killed too`() throws {
        let script = "setpgrp(0, getpgrp(getppid())); syswrite(STDOUT, q(x)); sleep 1000"
        let child = try ChildProcess(["perl", "-e", script], in: "/")
        let captured = try child.capture(limit: 0, until: Self.farAway())
        #expect(captured.outcome == .tooMuchOutput)
        #expect(child.wait(until: nil) == .killed(signal: 9))
    }

    @Test func `a child process ends when its last reference is released`() throws {
        let folder = try TemporaryFolder()
        #expect(try Command("mkfifo", [folder.path("end")]).run().status == .exit(0))
        // The reader of the fifo sees its end when the program is gone.
        let reader = try Command("cat", [folder.path("end")]).start()
        do {
            let child = try ChildProcess(
                ["sh", "-c", "exec 3> end; echo; exec sleep 1000"],
                in: folder.path
            )
            let poll = EventPoll(try EventPoll.WakeUp())
            try poll.watch(child.output.descriptor, for: .readable, tag: 7)
            var events: [EventPoll.Event] = []
            _ = poll.wait(milliseconds: -1, into: &events)
            #expect(events.map(\.tag) == [7])
        }
        #expect(try reader.finish().status == .exit(0))
    }
}
