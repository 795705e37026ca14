import TestSupport
import Testing
import TransferModel

/// Redirects and bodies of custom schemes, by the built executable.
@Suite struct ProtocolProgramTransferTests {
    // MARK: - Redirects

    @Test func `a program redirects within its scheme and to http`() throws {
        let server = try ScriptedServer { _ in .ok("from http") }
        let job = try ProgramJob(
            """
            path = request["url"].removeprefix("test://")
            if path == "host/a": redirect("test://other/b")
            elif path == "other/b": redirect("\(server.url("/c"))", 307)
            """,
            """
            downloads:
              a:
                url: "test://host/a"
                headers: { Authorization: "Bearer abcdefgh", Accept: text/plain }
                to: out/a
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.folder.text("out/a") == "from http")
        #expect(
            run.exchanges("a").map { $0["resourceFetchType"]?.string } == [
                "program", "program", "networkLoad",
            ]
        )
        let request = try #require(server.requests.first)
        #expect(request.headers["accept"] == "text/plain")
        #expect(request.headers["authorization"] == nil)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:,x", "other://host/a", "ftp://127.0.0.1/a", "/b", "",
        "test://user:secret@host/b", "test:b",
    ])
    func `a program redirects nowhere else`(target: String) throws {
        let job = try ProgramJob(
            "redirect(\"\(target)\")",
            "downloads: { a: { url: \"test://host/a\", to: out/a, retry: { attempts: 1 } } }"
        )
        let run = try job.run()
        #expect(run.code == 1)
        let kind = run.kind("a")
        #expect(kind == (target.isEmpty ? "protocolViolation" : "redirectLimit"))
        #expect(job.starts.count == 1)
        #expect(!job.folder.folder.contains("out/a"))
    }

    @Test func `the redirect rules of the task hold for a program`() throws {
        let job = try ProgramJob(
            "redirect('test://other/b') if starts < 9 else finish()",
            """
            data:
              same:
                url: "test://host/a"
                redirects: { follow: sameOrigin }
              never:
                url: "test://host/a"
                redirects: { follow: false }
                expect: { statusCode: 302 }
              none:
                url: "test://host/a"
                redirects: { maximum: 0 }
            """
        )
        let run = try job.run()
        #expect(run.kind("same") == "redirectLimit")
        #expect(run.outcome("never") == "succeeded")
        #expect(run.kind("none") == "redirectLimit")
        #expect(job.starts.count == 3)
    }

    @Test func `no redirect of http starts a program`() throws {
        for status in [301, 302, 303, 307, 308] {
            let server = try ScriptedServer(["/": [.redirect(status, to: "test://host/a")]])
            let job = try ProgramJob(
                "respond(); finish()",
                "data: { a: { url: \"\(server.url("/"))\" } }"
            )
            let run = try job.run()
            #expect(run.kind("a") == "redirectLimit")
            #expect(job.starts.isEmpty)
        }
    }

    @Test func `a captured value does not choose a custom scheme`() throws {
        let server = try ScriptedServer { _ in .ok(#"{"url":"test://host/a"}"#) }
        for url in ["${task.a.url}", "${raw:task.a.url}"] {
            let job = try ProgramJob(
                "respond(); finish()",
                """
                data:
                  a: { url: "\(server.url("/"))", capture: { url: { json: /url } } }
                  b: { url: "\(url)", needs: [a] }
                """
            )
            let run = try job.run()
            #expect(run.outcome("b") == "failed")
            #expect(job.starts.isEmpty)
        }
    }

    // MARK: - Bodies

    @Test(
        arguments: [
            ("text: hello", "hello", 1, 5), ("json: { a: 1 }", #"{"a":1}"#, 1, 7),
            ("file: large", "0123456789abcdef", 20_000, 320_000),
            ("stream: { command: [sh, -c, 'printf a; sleep 0.1; printf b'] }", "ab", 1, nil),
        ] as [(String, String, Int, Int64?)]
    )
    func `a body reaches the program whole`(
        key: String,
        piece: String,
        count: Int,
        length: Int64?
    ) throws {
        let body = String(repeating: piece, count: count)
        let job = try ProgramJob(
            """
            assert request["body"]["length"] == \(length.map(String.init) ?? "None")
            open("received", "wb").write(body())
            respond(201)
            finish()
            """,
            "uploads: { a: { url: \"test://host/a\", \(key) } }"
        )
        try job.folder.folder.write(body, to: "large")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.folder.text("received") == body)
        let exchange = run.exchanges("a").first
        #expect(exchange?["countOfRequestBodyBytesSent"]?.integer == Int64(body.utf8.count))
    }

    @Test func `a named pipe may get its writer while the program speaks`() throws {
        let job = try ProgramJob(
            """
            respond(201)
            writer = subprocess.Popen(["sh", "-c", "sleep 0.2; printf hello > pipe"])
            open("received", "wb").write(body())
            finish()
            """,
            "uploads: { a: { url: \"test://host/a\", stream: { fifo: pipe } } }"
        )
        let path = job.folder.folder.path("pipe")
        #expect(try Command("mkfifo", [path]).run().status == .exit(0))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.folder.text("received") == "hello")
    }

    @Test func `a response before the whole body is no success`() throws {
        let job = try ProgramJob(
            "respond(201); finish(); time.sleep(0.2)",
            "uploads: { a: { url: \"test://host/a\", method: PUT, file: large, retry: { attempts: 1 } } }"
        )
        try job.folder.folder.write(String(repeating: "x", count: 1 << 20), to: "large")
        let run = try job.run()
        #expect(run.kind("a") == "truncated", "\(run.command.standardError)")
    }

    @Test func `a program may refuse a body that it does not read`() throws {
        let job = try ProgramJob(
            "os.close(0); respond(413); data(b'too large'); finish()",
            "uploads: { a: { url: \"test://host/a\", file: large } }"
        )
        try job.folder.folder.write(String(repeating: "x", count: 1 << 20), to: "large")
        let run = try job.run()
        #expect(run.kind("a") == "httpStatus")
    }

    @Test(arguments: [("POST", 1), ("PUT", 2)])
    func `only an order that may arrive twice is repeated`(method: String, count: Int) throws {
        let job = try ProgramJob(
            "body(); sys.exit(1)",
            """
            uploads:
              a:
                url: "test://host/a"
                method: \(method)
                text: x
                retry: { attempts: 2, backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.kind("a") == "reset")
        #expect(job.starts.count == count)
    }

    @Test func `an order that reached no server is repeated`() throws {
        let job = try ProgramJob(
            "fail('connect')",
            """
            uploads:
              a:
                url: "test://host/a"
                text: x
                retry: { attempts: 2, backoff: { initial: 1ms } }
            """
        )
        #expect(try job.run().kind("a") == "connect")
        #expect(job.starts.count == 2)
    }

    // MARK: - Rests

    /// A program that is killed after 300,000 of 400,000 bytes, and then does `rest`.
    private func resuming(_ rest: String, checksum: Bool = true) throws -> ProgramJob {
        try ProgramJob(
            """
            import hashlib
            whole = bytes(range(256)) * 1563
            fields = {field["name"]: field["value"] for field in request["headers"]}
            if starts == 1:
                respond(length=len(whole), ETag='"one"')
                data(whole[:300000])
                sys.exit(1)
            with open("asked", "a") as file:
                print(fields.get("Range"), fields.get("If-Range"), file=file)
            """ + "\n" + rest,
            """
            downloads:
              a:
                url: "test://host/a"
                to: out/a
                retry: { attempts: 3, backoff: { initial: 1ms } }
            """
        )
    }

    @Test(arguments: [
        // The rest, the whole, and a rest that is not the asked one.
        (
            "respond(206, ETag='\"one\"', Content_Range=f'bytes 300000-{len(whole)-1}/{len(whole)}');"
                + "data(whole[300000:]); finish()",
            ["bytes=300000- \"one\""]
        ),
        ("respond(200); data(whole); finish()", ["bytes=300000- \"one\""]),
        (
            """
            if "Range" in fields:
                respond(206, ETag='"two"', Content_Range=f"bytes 300000-{len(whole)-1}/{len(whole)}")
                data(b"?" * (len(whole) - 300000)); finish()
            else:
                respond(200); data(whole); finish()
            """, ["bytes=300000- \"one\"", "None None"]
        ),
    ])
    func `a cut download resumes where it ended`(rest: String, asked: [String]) throws {
        let job = try resuming(rest)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let whole = (0..<400_128).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try job.folder.folder.read("out/a") == whole)
        let lines = try job.folder.folder.text("asked").split(separator: "\n").map(String.init)
        #expect(lines == asked)
    }

    // MARK: - Sessions

    @Test func `a large body arrives whole under a limit of bandwidth`() throws {
        let job = try ProgramJob(
            """
            respond(length=300000)
            for _ in range(30): data(b"x" * 10000)
            finish()
            """,
            "downloads: { a: { url: \"test://host/a\", to: out/a } }",
            session: "limits: { bandwidth: { down: 300KB/s } }"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.folder.read("out/a").count == 300_000)
        let wait = run.exchanges("a").first?["extension"]?["bandwidthWaitUs"]?.integer
        #expect(wait.map { $0 > 0 } == true)
    }

    @Test func `what a session says of its cache changes nothing`() throws {
        let job = try ProgramJob(
            "respond(Cache_Control='max-age=1000', ETag='\"a\"'); data(b'x'); finish()",
            "data: { a: { url: \"test://host/a\" }, b: { url: \"test://host/a\", needs: [a] } }",
            session: "requestCachePolicy: returnCacheDataDontLoad"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(job.starts.count == 2)
    }

    @Test func `cookies, credentials and proxies of the session stay with http`() throws {
        let job = try ProgramJob(
            """
            open("request", "w").write(json.dumps(request))
            respond(Set_Cookie="a=b")
            finish()
            """,
            "data: { a: { url: \"test://host/a\" }, b: { url: \"test://host/b\", needs: [a] } }",
            session: """
                proxy: { http: "http://127.0.0.1:9", https: "http://127.0.0.1:9" }
                    credentials: [{ method: basic, host: host, user: u, password: "${env.PASS}" }]
                """
        )
        let outcome = try job.folder.runCommand(environment: ["PASS": "geheimnis"]).run()
        let run = try outcome.reported(in: job.folder.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        let request = try JSONValue(bytes: job.folder.folder.read("request"))
        #expect(request["headers"]?.elements.isEmpty == true)
    }

    @Test func `a secret reaches the program and no report`() throws {
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            sessions: { s: { protocolClasses: [{ scheme: test, command: [python3, program.py] }] } }
            data:
              a:
                url: "test://host/a"
                headers: { Authorization: "Bearer ${secret.token}" }
                retry: { attempts: 1 }
            """
        )
        try job.folder.write(
            """
            import json, sys
            request = json.loads(sys.stdin.readline())
            value = request["headers"][0]["value"]
            print("heard " + value, file=sys.stderr)
            print(json.dumps({"message": "fail", "version": 1, "kind": "reset", "detail": value}))
            """,
            to: "program.py"
        )
        let run = try job.run(environment: ["TOKEN": "s3cr3t-value-1"])
        #expect(run.kind("a") == "reset")
        let detail = run.task("a")?["error"]?["message"]?.string ?? ""
        #expect(detail.contains("reported: Bearer ‹redacted›"), "\(detail)")
        #expect(try !job.folder.text("report.json").contains("s3cr3t"))
        #expect(!run.command.standardError.contains("s3cr3t"))
    }

    @Test func `a session refuses the schemes of others`() throws {
        let job = try ProgramJob(
            "respond(); finish()",
            "data: { a: { session: two, url: \"test://host/a\" } }",
            session: ""
        )
        let text = try job.folder.folder.text("job.yaml")
        try job.folder.folder.write(
            text.replacing("sessions:\n", with: "sessions:\n  two: {}\n"),
            to: "job.yaml"
        )
        let outcome = try job.folder.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("no program of the session `two` serves"))
    }
}
