import SystemKit
import TestSupport
import Testing
import TransferModel

/// `runner plan --ask`: the servers say what a run would do, and nothing changes.
@Suite struct PlanAskTests {
    /// A job after its first run.
    private struct Ran {
        let job: JobFolder
        let server: ScriptedServer
        var environment: [String: String?] = [:]

        /// Everything below the job's folder, with inodes and times of changes.
        private func tree() throws -> String {
            let format = "%p %y %s %m %i %T@ %C@\n"
            return try Command("find", [job.folder.path, "-printf", format]).run().standardOutput
        }

        /// Makes the files of the cache so old that a run would note their use.
        func ageCache() throws {
            let command = ["-type", "f", "-exec", "touch", "-d", "@1700000000", "{}", ";"]
            let outcome = try Command("find", [job.folder.path(".cache")] + command).run()
            #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        }

        /// The output of `plan`, and the requests that it made; the disk must be as before.
        func ask(
            _ arguments: String...,
            code: Int32 = 0
        ) throws -> (lines: [String], requests: [String]) {
            let (before, count) = (try tree(), server.requests.count)
            let outcome = try job.runner(
                ["plan", "job.yaml", "--ask", "--show-values"] + arguments,
                environment: environment
            )
            #expect(outcome.status == .exit(code), "\(outcome.standardError)")
            #expect(try tree() == before)
            let lines = outcome.standardOutput.split(separator: "\n").map(String.init)
            let requests = server.requests[count...].map { "\($0.method) \($0.target)" }
            return (lines, requests.sorted())
        }
    }

    /// A reply that confirms the content of an earlier one.
    private static func confirm(_ request: RecordedRequest, _ tag: String = "\"1\"") -> Reply {
        request.headers["if-none-match"] == tag
            ? .status(304, ["ETag: \(tag)"]) : .ok("content", ["ETag: \(tag)"])
    }

    /// Runs a job once; its server is to answer by `answer`.
    private func ran(
        _ job: (ScriptedServer) -> String,
        code: Int32? = 0,
        answer: @escaping @Sendable (RecordedRequest) -> Reply
    ) throws -> Ran {
        let server = try ScriptedServer(answer: answer)
        let job = try JobFolder("version: 1\n" + job(server))
        if let code { #expect(try job.run().code == code) }
        return Ran(job: job, server: server)
    }

    @Test
    func `each answer replaces the action, and neither the disk nor an upload's server changes`()
        throws
    {
        let ran = try ran { server in
            """
            hooks: { onFinish: [sh, -c, "echo >> told"] }
            defaults: { retry: { attempts: 1 } }
            uploads:
              order: { url: "\(server.url("/order"))", json: {}, capture: { n: { json: /n } } }
            data:
              list: { url: "\(server.url("/list"))" }
            downloads:
              same: { url: "\(server.url("/same"))", to: same, ifExists: revalidate }
              changed: { url: "\(server.url("/changed"))", to: changed, ifExists: revalidate }
              gone: { url: "\(server.url("/gone"))", to: gone, ifExists: revalidate, required: false }
              deaf: { url: "\(server.url("/deaf"))", to: deaf, ifExists: revalidate }
              moved: { url: "\(server.url("/moved"))", to: moved, ifExists: revalidate }
              plain: { url: "\(server.url("/plain"))", to: plain }
              held: { url: "\(server.url("/held"))", to: held, ifExists: skip }
              mine: { url: "\(server.url("/mine/${task.order.n}"))", to: mine, needs: [order] }
            """
        } answer: { request in
            let isFirst = request.earlierRequestsForPath == 0
            switch request.path {
            case "/order": return .ok(#"{"n": 7}"#)
            case "/same":
                var reply = Self.confirm(request)
                let cookie = "Set-Cookie: a=\(request.earlierRequestsForPath); Max-Age=1000"
                if isFirst { reply = .ok("content", ["ETag: \"1\"", cookie]) }
                return reply
            case "/changed" where !isFirst: return .ok("new content", ["ETag: \"2\""])
            case "/gone" where !isFirst: return .status(404, ["Cache-Control: max-age=1000"])
            case "/moved": return .redirect(301, to: "/target")
            case "/deaf": return .ok("content", ["ETag: \"1\""])
            default: return Self.confirm(request)
            }
        }
        try ran.ageCache()
        let (lines, requests) = try ran.ask()
        let expected = [
            "send     upload order: POST", "fetch    data list",
            "keep     download same: same has not changed",
            "fetch    download changed: replaces changed, 11 B",
            "fail     download gone: the server answered 404 Not Found",
            "fetch    download deaf: replaces deaf, 7 B",
            "keep     download moved: moved has not changed",
            "fetch    download plain: replaces plain, 7 B",
            "keep     download held: held exists",
            "fetch    download mine: unknown until `order` has run",
            "10 tasks: send 1, fetch 5, keep 3, fail 1", "to fetch: at least 25 B",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)\n\(lines)") }
        #expect(lines.count == expected.count)
        let paths = ["changed", "deaf", "gone", "moved", "plain", "same", "target"]
        #expect(requests == paths.map { "GET /\($0)" })
        #expect(ran.server.requests.last { $0.path == "/same" }?.headers["cookie"] == "a=0")
        // A later run still learns all of it by itself.
        #expect(try ran.job.run().outcome("changed") == "succeeded")
        #expect(try ran.job.folder.text("changed") == "new content")
    }

    @Test func `a body is not awaited, and its size is in the document`() throws {
        let ran = try ran(
            { server in
                "downloads: { a: { url: \"\(server.url("/a"))\", to: out/a } }"
            },
            code: nil
        ) { _ in
            Reply([.send(Reply.head(200, ["Content-Length: 1073741824"])), .waitForPeerToLeave])
        }
        #expect(try ran.ask().lines.first == "fetch    download a: out/a, 1.0 GiB")
        let document = try JSONValue(ran.ask("--format", "json").lines.joined())
        let task = document["tasks"]?.elements.first
        #expect(task?["action"]?.string == "fetch")
        #expect(task?["totalBytes"]?.integer == 1 << 30)
        #expect(task?["asked"] == .bool(true))
        #expect(!ran.job.folder.contains("out"))
    }

    @Test func `twenty files are asked about within the limits of the session`() throws {
        let ran = try ran { server in
            """
            sessions: { s: { httpMaximumConnectionsPerHost: 1 } }
            downloads:
              f:
                forEach: { range: [1, 20] }
                url: "\(server.url("/${item}"))"
                to: "${item}"
                ifExists: revalidate
            """
        } answer: {
            Self.confirm($0)
        }
        let (lines, requests) = try ran.ask()
        #expect(lines.last == "20 tasks: keep 20")
        #expect(requests.count == 20)
        #expect(Set(ran.server.requests.suffix(20).map(\.connection)).count == 1)
    }

    @Test func `a list of checksums decides about a file that stays`() throws {
        let digest = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
        let ran = try ran { server in
            """
            downloads:
              a:
                url: "\(server.url("/a"))"
                to: a
                checksum: { from: "\(server.url("/sums"))", algorithm: sha256 }
            """
        } answer: {
            $0.path == "/sums" ? .ok("\(digest)  a\n") : .ok("content")
        }
        let (lines, requests) = try ran.ask()
        #expect(lines.first == "keep     download a: a has its checksum")
        #expect(requests == ["GET /sums"])
        try ran.job.folder.write("other", to: "a")
        let (next, others) = try ran.ask()
        #expect(next.first == "fetch    download a: a has another checksum, 7 B")
        #expect(others == ["GET /a", "GET /sums"])
    }

    @Test func `a refusal may be due to a task that has not run`() throws {
        let ran = try ran(
            { server in
                """
                data: { login: { url: "\(server.url("/login"))" } }
                downloads: { a: { url: "\(server.url("/a"))", to: a, needs: [login] } }
                """
            },
            code: nil
        ) { _ in .status(403) }
        let (lines, requests) = try ran.ask()
        let reason = "unknown until `login` has run: the server answered 403 Forbidden"
        #expect(lines.contains("fetch    download a: a, \(reason)"), "\(lines)")
        #expect(requests == ["GET /a"])
    }

    @Test func `a file that the job wrote under a server's name is fetched again`() throws {
        let ran = try ran { server in
            "downloads: { a: { url: \"\(server.url("/a"))\", to: out/ } }"
        } answer: { _ in
            .ok("content", ["Content-Disposition: attachment; filename=b"])
        }
        #expect(try ran.job.folder.list("out") == ["b"])
        let line = "fetch    download a: the server names the file, 7 B"
        #expect(try ran.ask().lines.first == line)
        try ran.job.folder.write("foreign", to: "out/b")
        #expect(try ran.ask().lines.first?.hasPrefix("fail     download a: localIO: ") == true)
    }

    @Test func `a question makes no folder`() throws {
        let ran = try ran { server in
            "downloads: { a: { url: \"\(server.url("/a"))\", to: a } }"
        } answer: { _ in
            .ok("content")
        }
        let tasks = [
            "other: { url: \"\(ran.server.url("/a"))\", to: one/deep/ }",
            "next: { url: \"\(ran.server.url("/b"))\", to: two/b }",
        ]
        let text = "version: 1\ndownloads: { \(tasks.joined(separator: ", ")) }"
        try ran.job.folder.write(text, to: "job.yaml")
        #expect(try ran.ask().requests == ["GET /a", "GET /b"])
    }

    @Test func `a mirror answers for a server that refuses`() throws {
        let ran = try ran(
            { server in
                """
                downloads:
                  a: { url: "\(server.url("/a"))", to: a, mirrors: ["\(server.url("/b"))"] }
                """
            },
            code: nil
        ) { $0.path == "/a" ? .status(404) : .ok("content") }
        let (lines, requests) = try ran.ask()
        #expect(lines.first == "fetch    download a: a, 7 B")
        #expect(requests == ["GET /a", "GET /b"])
    }

    @Test func `a stored response that may be used stale sends no request`() throws {
        let ran = try ran { server in
            "downloads: { a: { url: \"\(server.url("/a"))\", to: a, ifExists: revalidate } }"
        } answer: { _ in
            .ok("content", ["Cache-Control: max-age=0, stale-while-revalidate=600"])
        }
        let (lines, requests) = try ran.ask()
        #expect(lines.first == "keep     download a: a has not changed")
        #expect(requests.isEmpty)
    }

    @Test func `a part of an earlier run stays, and no server is asked about it`() throws {
        let body = [UInt8](repeating: 97, count: 4 << 20)
        let ran = try ran(
            { server in
                """
                defaults: { retry: { attempts: 1 } }
                downloads: { a: { url: "\(server.url("/a"))", to: a } }
                """
            },
            code: 5
        ) { _ in
            let head = Reply.head(200, ["ETag: \"one\"", "Content-Length: \(body.count)"])
            return Reply([.send(head + body.prefix(3 << 20)), .close])
        }
        let (lines, requests) = try ran.ask()
        #expect(lines.first?.hasPrefix("resume   download a: a, ") == true, "\(lines)")
        #expect(requests.isEmpty)
    }

    @Test func `secrets go to the server and are not shown`() throws {
        var ran = try ran(
            { server in
                """
                secrets: { key: { env: KEY, origins: ["\(server.origin)"] } }
                defaults: { retry: { attempts: 1 } }
                downloads:
                  a: { url: "\(server.url("/a"))", to: a, headers: { X-Key: "${secret.key}" } }
                """
            },
            code: nil
        ) { request in
            .redirect(to: "ftp://example.com/\(request.headers["x-key"] ?? "")")
        }
        #expect(try ran.ask(code: 4).requests.isEmpty)
        ran.environment = ["KEY": "hunter22"]
        let (lines, _) = try ran.ask()
        #expect(ran.server.requests.last?.headers["x-key"] == "hunter22")
        #expect(lines.first?.hasPrefix("fail     download a: redirectLimit: ") == true, "\(lines)")
        #expect(!lines.joined().contains("hunter22"))
    }

    @Test func `reasons have values of the job only on demand`() throws {
        let server = try ScriptedServer { _ in .redirect(to: "/a") }
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \"\(server.url("/a"))\", to: a } }\n"
        )
        let outcome = try job.runner(["plan", "job.yaml", "--ask"])
        let reason = "fail     download a: redirectLimit, which --show-values explains\n"
        #expect(outcome.standardOutput.hasPrefix(reason), "\(outcome)")
    }

    @Test func `without an answer of any server the code asks to run again`() throws {
        let port = try ClosedPort()
        let ran = try ran(
            { _ in
                """
                defaults: { retry: { attempts: 1 } }
                downloads: { a: { url: "\(port.origin)/a", to: a } }
                """
            },
            code: nil
        ) { _ in .ok("content") }
        let lines = try ran.ask(code: 5).lines
        #expect(lines.first?.hasPrefix("fail     download a: connect: ") == true, "\(lines)")
        let more = "  b: { url: \"\(ran.server.url("/b"))\", to: b }\n"
        try ran.job.folder.write(
            "version: 1\ndownloads:\n  a: { url: \"\(port.origin)/a\", to: a }\n\(more)",
            to: "job.yaml"
        )
        #expect(try ran.ask().lines.last == "to fetch: 7 B")
    }

    @Test func `no program is started for a scheme of its own`() throws {
        let job = try ProgramJob("", "downloads: { a: { url: \"test://h/a\", to: a } }")
        let outcome = try job.folder.runner(["plan", "job.yaml", "--ask"])
        #expect(outcome.status == .exit(0), "\(outcome)")
        #expect(outcome.standardOutput.hasPrefix("fetch    download a: "))
        #expect(!job.folder.folder.contains("starts"))
    }

    @Test(arguments: SignalTests.signals)
    func `a signal ends the command at once`(signal: Int32, code: Int32) throws {
        let arrived = try Gate()
        let server = try ScriptedServer { _ in Reply([.open(arrived), .waitForPeerToLeave]) }
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \"\(server.url("/a"))\", to: a } }\n"
        )
        let running = try job.command(["plan", "job.yaml", "--ask"]).start()
        try arrived.wait()
        running.signal(signal)
        let outcome = try running.finish()
        #expect(outcome.status == .exit(code))
        #expect(outcome.standardOutput.isEmpty)
    }

    /// A job with a proxy script and its answer from one server.
    private func scriptedJob(_ server: ScriptedServer) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { proxy: { pac: "\(server.url("/proxy.pac"))" } } }
            downloads: { a: { url: "\(server.url("/a"))", to: a } }
            """
        )
        try job.folder.makeFolder("tmp")
        return job
    }

    @Test func `a proxy script is fetched and asked, and removed at the end`() throws {
        let script = "function FindProxyForURL(u, h) { return 'DIRECT' }"
        let server = try ScriptedServer { $0.path == "/proxy.pac" ? .ok(script) : .ok("content") }
        let job = try scriptedJob(server)
        let outcome = try job.runner(
            ["plan", "job.yaml", "--ask", "--show-values"],
            environment: ["TMPDIR": job.folder.path("tmp")]
        )
        #expect(outcome.standardOutput.hasPrefix("fetch    download a: a, 7 B\n"), "\(outcome)")
        #expect(try job.folder.list("tmp") == [])
    }

    @Test func `a signal during the fetch of a proxy script leaves no file`() throws {
        let arrived = try Gate()
        let server = try ScriptedServer { _ in Reply([.open(arrived), .waitForPeerToLeave]) }
        let job = try scriptedJob(server)
        let running = try job.command(
            ["plan", "job.yaml", "--ask"],
            environment: ["TMPDIR": job.folder.path("tmp")]
        ).start()
        try arrived.wait()
        running.signal(2)
        #expect(try running.finish().status == .exit(130))
        #expect(try job.folder.list("tmp") == [])
    }

    @Test func `a listing of settings asks no server`() throws {
        let job = try JobFolder("version: 1\ndata: { a: { url: \"http://a.test/\" } }\n")
        let outcome = try job.runner(["plan", "job.yaml", "--ask", "--all"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("--all lists settings, which --ask leaves out"))
    }
}
