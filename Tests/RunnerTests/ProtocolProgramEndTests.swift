import TestSupport
import Testing

/// What becomes of programs that serve custom schemes when their run ends early.
@Suite struct ProtocolProgramEndTests {
    @Test(arguments: SignalTests.signals)
    func `a cancelled run leaves no program, however stubborn`(signal: Int32, code: Int32) throws {
        let job = try ProgramJob(
            """
            import signal
            for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE]:
                signal.signal(number, signal.SIG_IGN)
            subprocess.Popen(["sleep", "1000"])
            respond()
            data(b"x")
            print("begun", file=sys.stderr, flush=True)
            while True:
                time.sleep(1000)
            """,
            "downloads: { a: { url: \"test://host/a\", to: out/a } }"
        )
        let running = try job.folder.runCommand().start()
        _ = try running.waitForLine(containing: "begun")
        running.signal(signal)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(signal)
        let run = try running.finish().reported(in: job.folder.folder)
        #expect(run.code == code)
        #expect(run.kind("a") == "cancelled")
        #expect(!job.folder.folder.contains("out/a"))
        try job.awaitEnd()
    }

    @Test func `a program ends with a killed runner, and the next run fetches the rest`() throws {
        let job = try ProgramJob(
            """
            whole = bytes(range(256)) * 8192
            fields = {field["name"]: field["value"] for field in request["headers"]}
            print(fields.get("Range"), fields.get("If-Range"), file=open("asked", "a"))
            if starts == 1:
                respond(length=len(whole), ETag='"one"')
                for start in range(0, 1 << 20, 1 << 16):
                    data(whole[start:start + (1 << 16)])
                sys.stdin.buffer.read()
            else:
                start = int(fields["Range"][6:-1])
                respond(206, len(whole) - start, ETag='"one"',
                        Content_Range=f"bytes {start}-{len(whole) - 1}/{len(whole)}")
                while start < len(whole):
                    data(whole[start:start + (1 << 16)])
                    start += 1 << 16
                finish()
            """,
            "downloads: { a: { url: \"test://host/a\", to: out/a } }"
        )
        let running = try job.folder.runCommand().start()
        try job.folder.folder.wait(for: "a note of the first half") {
            let record = try? job.folder.folder.text("out/.a.part.record")
            return record?.contains(#""length":1048576"#) == true
        }
        running.signal(9)
        _ = try running.finish()
        try job.awaitEnd()
        #expect(!job.folder.folder.contains("out/a"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let whole = (0..<(256 * 8192)).map { UInt8(truncatingIfNeeded: $0) }
        let isWhole = try job.folder.folder.read("out/a") == whole
        #expect(isWhole)
        let asked = try job.folder.folder.text("asked")
        #expect(asked == "None None\nbytes=1048576- \"one\"\n")
    }
}
