import TestSupport
import Testing
import TransferModel

/// The requests for URLs, by the built executable.
@Suite struct URLTests {
    @Test func `any captured value fills one segment of a path`() throws {
        let server = try ScriptedServer { request in
            request.path == "/a" ? .ok(#"{"id":"x/../../admin/delete?all=1&"}"#) : .ok("b")
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/a"))", capture: { id: { json: /id } } }
              b: { url: "\(server.origin)/users/${task.a.id}/profile", needs: [a] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            server.requests.last?.target
                == "/users/x%2F..%2F..%2Fadmin%2Fdelete%3Fall%3D1%26/profile"
        )
    }

    @Test(arguments: ["", ".", "..", "a\\nb"])
    func `a captured value that is no segment causes no request`(text: String) throws {
        let server = try ScriptedServer { _ in .ok(#"{"id":"\#(text)"}"#) }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/a"))", capture: { id: { json: /id } } }
              b: { url: "\(server.origin)/users/${task.a.id}", method: DELETE, needs: [a] }
            """
        )
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("b") == "failed")
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func `each item requests its own file`() throws {
        let server = try ScriptedServer { .ok($0.target) }
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            downloads:
              get:
                forEach: { items: ["A#1", x/y, "q?r", "50%", "a b"] }
                url: \(server.origin)/files/${item}
                to: out/
                ifExists: replace
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            server.requests.map(\.target) == [
                "/files/A%231", "/files/x/y", "/files/q%3Fr", "/files/50%25", "/files/a%20b",
            ]
        )
    }

    @Test func `a query beyond ASCII is sent in escapes`() throws {
        let server = try ScriptedServer { request in
            request.path == "/moved" ? .status(302, ["Location: /there?q=\u{FC}"]) : .ok("")
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.origin)/ü?q=ü#ü" }
              b: { url: "\(server.origin)/moved", needs: [a] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            // libcurl writes the escapes of a redirect in small letters or in capitals.
            server.requests.map { $0.target.lowercased() }
                == ["/%c3%bc?q=%c3%bc", "/moved", "/there?q=%c3%bc"]
        )
        #expect(
            run.task("a")?["originalRequest"]?["url"]?.string
                == "\(server.origin)/%C3%BC?q=%C3%BC#%C3%BC"
        )
    }

    // libcurl 7.88 keeps `%2e%2e`, 8.14 does not.
    @Test func `every libcurl requests a path without dot segments`() throws {
        let server = try ScriptedServer { request in
            request.path == "/moved" ? .status(302, ["Location: /x/%2E%2e/../z"]) : .ok("")
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.origin)/a/%2e%2e/b/../c" }
              b: { url: "\(server.origin)/moved", needs: [a] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.target) == ["/c", "/moved", "/z"])
    }

    @Test func `a host beyond ASCII is checked before the run`() throws {
        let job = try JobFolder(
            "version: 1\ndata: { a: { url: \"https://bücher.example/\" } }"
        )
        #expect(try job.runner(["validate", "job.yaml"]).status == .exit(0))
        let wrong = try JobFolder(
            "version: 1\ndata: { a: { url: \"https://b\u{FF0F}cher.example/\" } }"
        )
        let outcome = try wrong.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("job.bad-url"))
    }

    @Test func `a host beyond ASCII is requested by its A-labels`() throws {
        let proxy = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { proxy: { http: "\(proxy.origin)" } } }
            data: { a: { url: "http://bücher.example/ü" } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(proxy.requests.map(\.target) == ["http://xn--bcher-kva.example/%C3%BC"])
    }

    @Test func `a partial file of one resource is not resumed at another`() throws {
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let server = try ScriptedServer { request in
            let tag = "ETag: \"1\""
            switch request.path {
            case "/file":
                let id = request.earlierRequestsForPath + 1
                return .status(302, ["Location: /blob?id=\(id)"])
            case _ where request.target == "/blob?id=1":
                return .ok(bytes, [tag]).cut(after: 500_000)
            default:
                let other = bytes.map { ~$0 }
                return request.rangeStart.map { .part(of: other, from: $0, [tag]) }
                    ?? .ok(other, [tag])
            }
        }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a:
                url: \(server.origin)/file
                to: a.bin
                retry: { backoff: { initial: 1ms }, attempts: 4 }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("a.bin") == bytes.map { ~$0 })
    }
}
