import TestSupport
import Testing
import TransferModel

/// Tasks whose scheme a program serves, by the built executable.
@Suite struct ProtocolProgramTests {
    private static let download = """
        downloads:
          a: { url: "test://host/a", to: out/a, retry: { attempts: 1 } }
        """

    @Test func `the notes of the example are stored and fetched`() throws {
        let text = try Command("cat", [Repository.path("jobs/protocols/notes.yaml")]).run()
        let job = try JobFolder(text.standardOutput)
        let folder = job.folder
        let program = Repository.path("jobs/protocols/notes.py")
        #expect(try Command("cp", ["-p", program, folder.path]).run().status == .exit(0))
        let outcome = try job.runner(["run", "job.yaml", "--state-dir", folder.path("state")])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let run = try outcome.reported(in: folder, as: "out/notes-report.json")
        #expect(try folder.text("out/hello.txt") == "Hello from the desk.\n")
        let exchanges = run.exchanges("fetch")
        #expect(
            exchanges.map { $0["request"]?["url"]?.string } == [
                "notes://desk/latest", "notes://desk/hello",
            ]
        )
        #expect(exchanges.map { $0["response"]?["statusCode"]?.integer } == [302, 200])
        #expect(exchanges.allSatisfy { $0["resourceFetchType"]?.string == "program" })
        #expect(exchanges.last?["countOfResponseBodyBytesReceived"]?.integer == 21)
        let stored = run.exchanges("store").first
        #expect(stored?["countOfRequestBodyBytesSent"]?.integer == 21)
        #expect(run.exchanges("missing").first?["response"]?["statusCode"]?.integer == 404)
    }

    @Test func `every message of the example is in the schema`() throws {
        let folder = try TemporaryFolder()
        let program = Repository.path("jobs/protocols/notes.py")
        let validator = try Repository.validator("protocol")
        var names: Set<String> = []
        for (method, path, body) in [
            ("GET", "a", "null"), ("PUT", "a", "{\"length\":5}"), ("GET", "a", "null"),
            ("GET", "latest", "null"), ("HEAD", "a", "null"), ("POST", "a", "null"),
            ("DELETE", "a", "null"), ("GET", "../a", "null"),
        ] {
            var input =
                #"{"message":"request","version":1,"method":"\#(method)","url":"notes://desk/"#
                + #"\#(path)","headers":[],"body":\#(body)}"# + "\n"
            if method == "PUT" {
                input +=
                    #"{"message":"data","length":5}"# + "\nhello" + #"{"message":"finish"}"#
                    + "\n"
            }
            try folder.write(input, to: "input")
            let outcome = try Command(
                "sh",
                ["-c", "exec \"$0\" shelves < input", program],
                workingFolder: folder.path
            ).run()
            #expect(outcome.status == .exit(0), "\(outcome.standardError)")
            var output = outcome.standardOutput.utf8[...]
            while let end = output.firstIndex(of: 10) {
                let message = try JSONValue(bytes: Array(output[..<end]))
                #expect(validator.faults(in: message).isEmpty, "\(method) \(path)")
                names.insert(message["message"]?.string ?? "")
                output = output[output.index(after: end)...]
                if let length = message["length"]?.integer {
                    output = output.dropFirst(Int(length))
                }
            }
            #expect(output.isEmpty)
        }
        #expect(names == ["response", "data", "finish", "redirect"])
    }

    @Test func `a file appears only with the right checksum`() throws {
        let job = try ProgramJob(
            "respond(); data(b'hello '); data(b'world\\n'); finish()",
            """
            downloads:
              right:
                url: "test://host/a"
                to: out/right
                checksum: sha256:a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447
              wrong:
                url: "test://host/a"
                to: out/wrong
                retry: { attempts: 1 }
                checksum: sha256:0000000000000000000000000000000000000000000000000000000000000000
            """
        )
        let run = try job.run()
        #expect(run.outcome("right") == "succeeded")
        #expect(try job.folder.folder.text("out/right") == "hello world\n")
        #expect(run.kind("wrong") == "integrity")
        #expect(!job.folder.folder.contains("out/wrong"))
    }

    @Test func `a program inherits no variable of a secret, and its command for one does`() throws {
        let job = try ProgramJob(
            """
            respond()
            data(json.dumps([os.environ.get("PROGRAM_TOKEN"), os.environ["PLAIN"]]).encode())
            finish()
            """,
            """
            secrets:
              token: { env: PROGRAM_TOKEN }
              derived: { command: [sh, -c, 'printf %s "$PROGRAM_TOKEN-derived"'] }
            data:
              a:
                url: "test://host/a"
                headers: { X-T: "${secret.token}${secret.derived}" }
                expect: { json: { /0: null, /1: open } }
            """
        )
        let run = try job.folder.run(
            environment: ["PROGRAM_TOKEN": "swordfish-token", "PLAIN": "open"]
        )
        #expect(run.code == 0, "\(run.command.standardError)")
    }

    @Test func `expectations and captures read the program's response`() throws {
        let job = try ProgramJob(
            """
            if request["url"].endswith("/a"):
                respond(Content_Type="application/json", X_Note="n")
                data(json.dumps({"headers": request["headers"], "name": "b c"}).encode())
            else:
                respond(202)
            finish()
            """,
            """
            data:
              a:
                url: "test://host/a"
                headers: { X-Own: "1" }
                expect: { mimeType: application/json, json: { /name: b c } }
                capture: { name: { json: /name }, own: { json: /headers/0/value } }
              b:
                url: "test://host/${task.a.name}?own=${task.a.own}#part"
                needs: [a]
                expect: { statusCode: 202 }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(job.starts.map(\.last) == ["test://host/a", "test://host/b%20c?own=1"])
    }

    /// Programs that are wrong, with the kind of the failure and a part of its detail.
    private static let liars: [(script: String, kind: String, words: String)] = [
        ("os.write(1, b'hello\\n')", "protocolViolation", "message 1: the line is not JSON"),
        ("os.write(1, os.urandom(1 << 20))", "protocolViolation", "broke the protocol in message"),
        ("os.write(1, b' ' * (1 << 20))", "protocolViolation", "longer than 65536 bytes"),
        ("line(message='hello')", "protocolViolation", "`hello` is not a message"),
        ("data(b'x'); finish()", "protocolViolation", "`data` came before the response"),
        ("finish()", "protocolViolation", "`finish` came before the response"),
        ("respond(); respond(); finish()", "protocolViolation", "`response` came after"),
        ("respond(length=1); data(b'xy'); finish()", "protocolViolation", "is longer than"),
        ("respond(length=3); data(b'xy'); finish()", "truncated", "1 bytes before its announced"),
        ("respond(); data(b'x')", "truncated", "ended before the response was whole"),
        (
            "respond(); os.write(1, b'{\"message\":\"data\",\"length\":9}\\nxy')", "truncated",
            "ended before the response was whole"
        ),
        ("respond(); os.write(1, b'{\"message\":\"fin')", "truncated", "before the response was"),
        ("pass", "reset", "ended without a response"),
        ("sys.exit(3)", "reset", "ended with status 3 without a response"),
        ("os.kill(os.getpid(), 11)", "reset", "was ended by signal 11"),
        ("respond(); os.kill(os.getpid(), 9)", "truncated", "was ended by signal 9 before"),
        ("line(message='response', version=2, statusCode=200)", "protocolViolation", "must be 1"),
        ("respond(206); data(b'x'); finish()", "protocolViolation", "a part (206)"),
        ("respond(500); data(b'oh'); finish()", "httpStatus", "the server answered 500"),
        ("redirect('test://host/a')", "redirectLimit", "go in a circle"),
        ("fail('tls')", "tls", "reported: no luck"),
        // A child keeps the output open.
        (
            "subprocess.Popen(['sleep', '1000']); respond(); data(b'x'); os._exit(2)", "truncated",
            "ended with status 2 before the response was whole"
        ),
        ("subprocess.Popen(['sleep', '1000']); os._exit(0)", "reset", "ended without a response"),
    ]

    @Test(arguments: 0..<liars.count)
    func `a program that lies or dies fails the task and leaves nothing`(index: Int) throws {
        let (script, kind, words) = Self.liars[index]
        let job = try ProgramJob(script, Self.download)
        let run = try job.run()
        #expect(run.kind("a") == kind, "\(script): \(run.command.standardError)")
        let detail = run.task("a")?["error"]?["message"]?.string ?? ""
        #expect(detail.contains(words), "\(script): \(detail)")
        #expect(!job.folder.folder.contains("out/a"))
        try job.awaitEnd()
    }

    @Test(arguments: [
        "time.sleep(1000)", "respond(); time.sleep(1000)", "os.close(1); time.sleep(1000)",
        "respond(); data(b'x'); time.sleep(1000)",
        // Bytes that are no message are no sign of life.
        "while True: os.write(1, b' '); time.sleep(0.05)",
    ])
    func `a program that hangs is ended by the timeout`(script: String) throws {
        let job = try ProgramJob(
            script,
            """
            downloads:
              a: { url: "test://host/a", to: out/a, timeoutInterval: 4s, retry: { attempts: 1 } }
            """
        )
        let run = try job.run()
        #expect(run.kind("a") == "timeout", "\(run.command.standardError)")
        let detail = run.task("a")?["error"]?["message"]?.string ?? ""
        #expect(detail.contains("the program `python3`: nothing moved"), "\(detail)")
        try job.awaitEnd()
    }

    @Test func `programs that outlive their cancellation are killed with their children`() throws {
        let job = try ProgramJob(
            """
            import signal
            for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE]:
                signal.signal(number, signal.SIG_IGN)
            subprocess.Popen(["sleep", "1000"])
            respond()
            while True:
                time.sleep(1000)
            """,
            """
            data:
              a: { url: "test://host/a", timeoutInterval: 4s, retry: { attempts: 2 } }
            """
        )
        let run = try job.run()
        #expect(run.kind("a") == "timeout")
        #expect(job.starts.count == 2)
        try job.awaitEnd()
    }

    @Test func `a program learns that its request was cancelled`() throws {
        let job = try ProgramJob(
            """
            respond()
            data(b"x")
            with open("last", "w") as file:
                print(sys.stdin.buffer.readline(), sys.stdin.buffer.read(), file=file)
            """,
            """
            data:
              a: { url: "test://host/a", timeoutInterval: 4s, retry: { attempts: 1 } }
            """
        )
        #expect(try job.run().kind("a") == "timeout")
        let last = try job.folder.folder.text("last")
        #expect(last == "b'{\"message\":\"cancel\"}\\n' b''\n")
    }

    @Test func `a program that has finished is not cancelled`() throws {
        let job = try ProgramJob(
            """
            respond()
            finish()
            with open("last", "w") as file:
                print(sys.stdin.buffer.read(), file=file)
            """,
            "data: { a: { url: \"test://host/a\" } }"
        )
        #expect(try job.run().code == 0)
        #expect(try job.folder.folder.text("last") == "b''\n")
    }

    @Test func `a flood of standard error holds up neither the run nor its memory`() throws {
        let job = try ProgramJob(
            """
            for _ in range(200):
                os.write(2, b"noise " * 10000)
            respond()
            data(b"x")
            finish()
            """,
            Self.download
        )
        let run = try job.run()
        #expect(run.code == 0)
        #expect(try job.folder.folder.text("out/a") == "x")
    }

    @Test func `a program that dies is asked again`() throws {
        let job = try ProgramJob(
            """
            if starts < 3:
                respond(length=5); data(b"he"); sys.exit(1)
            respond(length=5); data(b"hello"); finish()
            """,
            """
            downloads:
              a:
                url: "test://host/a"
                to: out/a
                retry: { attempts: 3, backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.folder.text("out/a") == "hello")
        #expect(
            run.attempts("a").map { $0["outcome"]?.string } == [
                "failed", "failed", "succeeded",
            ]
        )
    }

    @Test(arguments: [
        ("fail('connect')", 3), ("fail('timeout')", 3), ("fail('connect', isPermanent=True)", 1),
        ("fail('localIO')", 1), ("respond(503); finish()", 3), ("respond(404); finish()", 1),
        ("os.write(1, b'x\\n')", 1),
    ])
    func `a failure is retried by its class`(script: String, count: Int) throws {
        let job = try ProgramJob(
            script,
            """
            data:
              a: { url: "test://host/a", retry: { attempts: 3, backoff: { initial: 1ms } } }
            """
        )
        let run = try job.run()
        #expect(run.outcome("a") == "failed")
        #expect(job.starts.count == count, "\(script)")
    }

    @Test func `a missing program is a failure before anything is sent`() throws {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { protocolClasses: [{ scheme: test, command: [./missing] }] } }
            uploads: { a: { url: "test://host/a", text: x } }
            """
        )
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.kind("a") == "localIO")
    }
}
