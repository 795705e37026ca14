import JSON
import TestSupport
import Testing
import TransferModel

/// Tasks with captured values of other tasks, by the built executable.
@Suite struct CaptureTests {
    @Test func `a login, an order and its document follow from each other`() throws {
        let server = try ScriptedServer([
            "/login": [.ok(#"<input name="csrf" value="c5rf">"#, ["X-Token: t0k3n"])],
            "/orders": [.unavailable(), .status(201, text: #"{"order":{"id":7001,"paid":true}}"#)],
            "/orders/7001/invoice": [.ok("PDF")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              log.in:
                url: \(server.url("/login"))
                capture:
                  token: { header: X-Token }
                  csrf: { regex: 'name="csrf" value="([^"]+)"' }
            uploads:
              order:
                url: \(server.url("/orders"))
                needs: [log.in]
                headers: { Authorization: "Bearer ${task.log.in.token}" }
                json: { csrf: "${task.log.in.csrf}", note: "by ${task.log.in.csrf}" }
                retry: { backoff: { initial: 1ms } , repeat: always }
                expect: { statusCode: 201 }
                capture: { id: { json: /order/id }, paid: { json: /order/paid } }
            downloads:
              invoice:
                url: \(server.url("/orders/"))${task.order.id}/invoice
                to: invoices/${task.order.id}.pdf
                needs: [order]
                headers: { X-Token: "${task.log.in.token}" }
              receipt:
                url: \(server.url("/orders/"))${task.order.id}/invoice
                to: receipt.pdf
                needs: [invoice]
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let order = try #require(server.requests(for: "/orders").last)
        #expect(order.headers["Authorization"] == "Bearer t0k3n")
        #expect(order.text == #"{"csrf":"c5rf","note":"by c5rf"}"#)
        let invoice = try #require(server.requests(for: "/orders/7001/invoice").first)
        #expect(invoice.headers["X-Token"] == "t0k3n")
        #expect(try job.folder.text("invoices/7001.pdf") == "PDF")
        #expect(try job.folder.text("receipt.pdf") == "PDF")

        let captures = run.task("log.in")?["extension"]?["captures"]?.elements ?? []
        #expect(captures.map { $0["name"]?.string } == ["token", "csrf"])
        #expect(captures.map { $0["size"]?.integer } == [5, 4])
        #expect(run.task("invoice")?["extension"]?["captures"]?.elements.isEmpty == true)
    }

    @Test func `a capture without a match fails its task and names its pattern`() throws {
        let server = try ScriptedServer { _ in .ok(#"{"list":[1]}"#, ["X-Token: t"]) }
        let url = server.url("/")
        let job = try JobFolder(
            """
            version: 1
            data:
              field: { url: "\(url)", capture: { it: { header: X-Id } } }
              pointer: { url: "\(url)", capture: { it: { json: /list } } }
              pattern: { url: "\(url)", capture: { ok: { header: X-Token }, it: { regex: 'id=(.)' } } }
              slow: { url: "\(url)", capture: { it: { regex: '^(.?.?.?)+$x' } } }
              user: { url: "\(url)${task.field.it}", needs: [field] }
              last: { url: "\(url)", needs: [user], required: false }
            downloads:
              file: { url: "\(url)", to: file, capture: { it: { json: /id } } }
            """
        )
        try job.folder.write("old", to: "file")
        let run = try job.run()
        #expect(run.code == 1)
        let failed = ["field", "pointer", "pattern", "slow", "file"]
        #expect(failed.map(run.kind) == Array(repeating: "content", count: 5))
        #expect(failed.allSatisfy { run.attempts($0).count == 1 })
        let check = run.task("pattern")?["checks"]?.elements.last
        #expect(check?["check"]?.string == "content")
        #expect(check?["expected"]?.string == "the capture `it` (the match of `id=(.)`): a value")
        #expect(check?["actual"]?.string == "missing")
        #expect(run.task("pointer")?["checks"]?.elements.last?["actual"]?.string == "a list")
        #expect(try job.folder.text("file") == "old")
        #expect(run.task("pattern")?["extension"]?["captures"]?.elements.isEmpty == true)

        #expect(run.outcome("user") == "skipped")
        #expect(
            run.task("user")?["error"]?["message"]?.string
                == "the task needs `field`, which failed (content)"
        )
        #expect(
            run.task("last")?["error"]?["message"]?.string
                == "the task needs `user`, which was skipped because `field` failed (content)"
        )
        let request = run.task("user")?["originalRequest"]
        #expect(request?["url"]?.string == url + "${task.field.it}")
        #expect(run.task("user")?["session"]?.string == "default")
        #expect(server.requests.count == 5)
    }

    @Test(arguments: [
        (#"url: "{}", headers: { X-Text: "${task.a.text}" }"#, #"x\r\nX-Other: y"#),
        (#"url: "{}/${task.a.text}""#, #".."#),
        (#"url: "${task.a.text}""#, #"file:///etc/passwd"#),
        (#"url: "{}", responseTo: "out/${task.a.text}""#, #"../../x"#),
        (#"url: "{}", responseTo: "${task.a.text}""#, #"/tmp/x"#),
        (#"url: "{}", responseTo: "${task.a.text}""#, #"job.yaml"#),
        (#"url: "{}", responseTo: "${task.a.text}""#, #"x/../report.json"#),
    ])
    func `a captured value cannot act as syntax`(
        settings: String,
        text: String
    ) throws {
        let server = try ScriptedServer(["/a": [.ok(#"{"text":"\#(text)"}"#)], "/b": [.ok("b")]])
        let settings = settings.replacing("{}", with: server.url("/b"))
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/a"))", capture: { text: { json: /text } } }
              b: { needs: [a], \(settings) }
              c: { url: "\(server.url("/b"))", needs: [b] }
            """
        )
        let before = try job.folder.text("job.yaml")
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.kind("b") == "protocolViolation")
        #expect(run.task("b")?["error"]?["phase"]?.string == "prepare")
        #expect(run.task("b")?["error"]?["retryable"]?.bool == false)
        #expect(run.task("b")?["source"]?["line"]?.integer == 4)
        let message = run.task("b")?["error"]?["message"]?.string
        #expect(
            message?.hasPrefix("values captured by other tasks are not valid here: line 4, ")
                == true
        )
        #expect(run.outcome("c") == "skipped")
        #expect(server.requests.count == 1)
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
        #expect(try job.folder.text("job.yaml") == before)
    }

    @Test(arguments: ["./", "", ".", "out/"])
    func `a captured value never lets a server replace the job file`(text: String) throws {
        let server = try ScriptedServer([
            "/a": [.ok(#"{"text":"\#(text)"}"#)],
            "/b": [.ok("b", ["Content-Disposition: attachment; filename=job.yaml"])],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/a"))", capture: { text: { json: /text } } }
            downloads:
              b: { url: "\(server.url("/b"))", needs: [a], to: "${task.a.text}", ifExists: replace }
            """
        )
        let before = try job.folder.text("job.yaml")
        let run = try job.run()
        #expect(run.kind("b") == "protocolViolation")
        #expect(server.requests.count == 1)
        #expect(try job.folder.text("job.yaml") == before)
    }

    @Test func `--only also captures the values that the chosen tasks need`() throws {
        let server = try ScriptedServer(["/a": [.ok("", ["X-Id: 5"])], "/b/5": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            data:
              unused: { url: "\(server.url("/unused"))" }
              a: { url: "\(server.url("/a"))", capture: { id: { header: X-Id } } }
              b: { url: "\(server.url("/b/"))${task.a.id}", needs: [a] }
            """
        )
        #expect(try job.run("--only", "b").code == 0)
        #expect(server.requests.map(\.path) == ["/a", "/b/5"])
    }

    @Test func `a wrong pattern is found before any request`() throws {
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/"))", capture: { id: { regex: 'id=(' } } }
            """
        )
        let outcome = try job.runner(["run", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("job.bad-pattern"))
        #expect(server.requests.isEmpty)
    }
}
