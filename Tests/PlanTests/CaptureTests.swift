import Diagnostics
import JSON
import Testing
import TransferModel

@testable import Plan

/// Jobs whose tasks use captured values of other tasks.
@Suite struct CaptureTests {
    /// A job of a task that captures and one, `next`, with these settings.
    private func plan(_ settings: String, section: String = "data") throws -> Plan {
        try TestJob.plan(
            """
            version: 1
            sessions: { s: { httpAdditionalHeaders: { X-S: s } } }
            variables: { base: "https://example.com", none: "" }
            data:
              log.in:
                url: https://example.com/login
                capture:
                  text: { json: /text }
                  number: { json: /number }
                  token: { header: X-Token }
              middle: { url: https://example.com/, needs: [log.in] }
            \(section == "data" ? "" : "\(section):")
              next: { needs: [middle], \(settings) }
            report: { json: out/report.json }
            """
        )
    }

    /// The task `next` with these values.
    private func task(
        _ settings: String,
        section: String = "data",
        text: String = "text",
        number: String = "12"
    ) throws -> TaskSpec {
        let values = [
            CapturedValue("text", text), CapturedValue("number", number, .number),
            CapturedValue("token", "t0k3n"),
        ]
        return try plan(settings, section: section).task(at: 2, captured: [0: values])
    }

    /// The fault of a task, as `code: message`.
    private func fault(
        _ settings: String,
        section: String = "data",
        text: String
    ) throws -> String? {
        do {
            _ = try task(settings, section: section, text: text)
            return nil
        } catch let rejected as PlanRejected {
            return rejected.diagnostics.first.map { "\($0.code): \($0.message)" }
        }
    }

    @Test func `captures of every kind are read in their order`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            data:
              a:
                url: https://example.com/
                capture:
                  x-free: { whatever: 1 }
                  z: { regex: 'v(\\d)' }
                  a_1: { json: "" }
                  b-2: { header: X-Id }
            """
        )
        #expect(
            try plan.task(at: 0).expectation.captures == [
                Capture("z", from: .regex(#"v(\d)"#)),
                Capture("a_1", from: .json(try #require(JSONPointer("")))),
                Capture("b-2", from: .header("X-Id")),
            ]
        )
        #expect(plan.captureUses.isEmpty)
    }

    @Test func `captured values may be in any setting of a task`() throws {
        let task = try task(
            """
            url: "${var.base}/${task.log.in.text}", method: "${task.log.in.text}",
            headers: { Authorization: "Bearer ${task.log.in.token}" },
            description: "${task.log.in.text}", timeoutInterval: "${task.log.in.number}s",
            retry: { attempts: "${task.log.in.number}" },
            expect: { statusCode: "2${task.log.in.number}", json: { /a: "${task.log.in.number}" } },
            responseTo: "out/${task.log.in.text}",
            capture: { it: { header: "X-${task.log.in.text}" } }
            """
        )
        #expect(task.request.url.text == "https://example.com/text")
        #expect(task.request.method == "text")
        #expect(
            task.request.headers == [
                HeaderField(name: "Authorization", value: "Bearer t0k3n"),
                HeaderField(name: "X-S", value: "s"),
            ]
        )
        #expect(task.request.headers.map(\.isCaptured) == [true, false])
        #expect(task.description == "text")
        #expect(task.timeoutInterval?.duration == .seconds(12))
        #expect(task.retry.attempts == 12)
        #expect(task.expectation.statusCodes == [212...212])
        #expect(task.expectation.json?.first?.value == .number("12"))
        #expect(task.destination?.path == "/jobs/out/text")
        #expect(task.expectation.captures == [Capture("it", from: .header("X-text"))])
    }

    @Test(arguments: [
        ("12", "12"), ("1.50", "1.50"), ("1e400", "1e400"), ("0.1234567890123456789", nil),
        ("98765432109876543210", nil), ("-0", "0"),
    ])
    func `a number that is a whole scalar is sent as that number`(
        number: String,
        sent: String?
    ) throws {
        let task = try task(
            #"url: "https://a.example", json: ["${task.log.in.number}", "n${task.log.in.number}"]"#,
            section: "uploads",
            number: number
        )
        #expect(task.body == .bytes(Array("[\(sent ?? number),\"n\(number)\"]".utf8)))
    }

    @Test(arguments: [("12", #""12""#), ("true", #""true""#), ("a\nb\"", #""a\nb\"""#)])
    func `a text stays a text in a JSON body`(text: String, sent: String) throws {
        let task = try task(
            #"url: "https://a.example", json: "${task.log.in.text}""#,
            section: "uploads",
            text: text
        )
        #expect(task.body == .bytes(Array(sent.utf8)))
    }

    @Test func `a fallback replaces an empty value only`() throws {
        let url = #"url: "https://a.example/${task.log.in.text:-none}""#
        #expect(try task(url).request.url.text == "https://a.example/text")
        #expect(try task(url, text: "").request.url.text == "https://a.example/none")
        let required = #"url: "https://a.example/${task.log.in.text:?who}""#
        #expect(
            try fault(required, text: "")
                == "job.missing-variable: the captured value `log.in.text` is empty: who"
        )
    }

    @Test(arguments: [
        (
            #"url: "https://a.example", headers: { X: "${task.log.in.text}" }"#, "a\r\nb: c",
            "bad-header"
        ),
        (#"url: "${task.log.in.text}""#, "ftp://a.example", "url-part"),
        (#"url: "${task.log.in.text}""#, "nonsense", "bad-url"),
        (#"url: "https://${task.log.in.text}.a.example/""#, "a b", "url-part"),
        (#"url: "https://${task.log.in.text}.a.example/""#, "me:secret@b.example", "url-part"),
        (#"url: "https://a.example/${task.log.in.text}""#, "a\nb", "bad-url"),
        (#"url: "https://a.example", method: "${task.log.in.text}""#, "GET /", "bad-method"),
        (#"url: "https://a.example", timeoutInterval: "${task.log.in.text}""#, "5", "bad-duration"),
        (
            #"url: "https://a.example", responseTo: "out/${task.log.in.text}""#, "../x",
            "path-escape"
        ),
        (
            #"url: "https://a.example", responseTo: "out/${task.log.in.text}""#, "/etc/x",
            "path-escape"
        ),
        (#"url: "https://a.example", responseTo: "${task.log.in.text}""#, "/etc/x", "path-escape"),
        (#"url: "https://a.example", responseTo: "${task.log.in.text}/etc/x""#, "", "path-escape"),
        (
            #"url: "https://a.example", responseTo: "${var.none}${task.log.in.text}""#, "/etc/x",
            "path-escape"
        ),
        (
            #"url: "https://a.example", responseTo: "${env.NONE:-}${task.log.in.text}2""#, "/etc/x",
            "path-escape"
        ),
        (
            #"url: "https://a.example", responseTo: "${task.log.in.text}x""#, "/\u{301}",
            "path-escape"
        ),
        (#"url: "https://a.example", responseTo: "out/${task.log.in.text}""#, "a\0b", "bad-path"),
        (#"url: "https://a.example", responseTo: "${task.log.in.text}""#, ".", "path-escape"),
        (
            #"url: "https://a.example", responseTo: "${task.log.in.text}""#, "test.yaml",
            "duplicate-destination"
        ),
        (
            #"url: "https://a.example", responseTo: "out/${task.log.in.text}""#, "report.json",
            "duplicate-destination"
        ),
        (
            #"url: "https://a.example", capture: { it: { json: "${task.log.in.text}" } }"#, "a",
            "bad-pointer"
        ),
    ])
    func `a value that does not fit is a fault of the task`(
        settings: String,
        text: String,
        code: String
    ) throws {
        #expect(try fault(settings, text: text)?.hasPrefix("job.\(code):") == true)
        // With another value the same job is right.
        #expect(try plan(settings).warnings.isEmpty)
    }

    @Test(arguments: [
        (#"file: "${var.none}${task.log.in.text}""#, "/etc/x"),
        (#"multipart: { it: { file: "${env.NONE:-}${task.log.in.text}" } }"#, "/etc/x"),
        (#"stream: { fifo: "${var.none}${task.log.in.text}/x" }"#, ""),
    ])
    func `a file that is sent stays in the job's folder too`(body: String, text: String) throws {
        let settings = #"url: "https://a.example", "# + body
        let found = try fault(settings, section: "uploads", text: text)
        #expect(found?.hasPrefix("job.path-escape:") == true)
        #expect(try plan(settings, section: "uploads").warnings.isEmpty)
    }

    @Test(arguments: [
        ("${task.log.in.text}", "./"), ("${task.log.in.text}", "out/"),
        ("${task.log.in.text}", "."),
        ("${task.log.in.text}", ""), ("out/${task.log.in.text}", ""),
        ("out/${task.log.in.text}", "./"), ("out/${task.log.in.text}", "."),
    ])
    func `a captured value does not make a path a folder`(to: String, text: String) throws {
        let settings = #"url: "https://a.example", to: "\#(to)""#
        #expect(try plan(settings, section: "downloads").hasPeerNames)
        let found = try fault(settings, section: "downloads", text: text)
        #expect(found?.hasPrefix("job.path-escape:") == true)
        let raw = settings.replacing("${", with: "${raw:")
        let code = try fault(raw, section: "downloads", text: text)
        #expect(code?.hasPrefix("job.bad-path:") == true)
    }

    @Test func `a slash of the job file after a captured value names a folder`() throws {
        let settings = #"url: "https://a.example", to: "${task.log.in.text}/""#
        // The stand-in of the value is no name with which another file could collide.
        let plan = try plan(
            "\(settings) }\n  file: { url: http://a/, to: captured",
            section: "downloads"
        )
        #expect(plan.hasPeerNames && plan.foldersOfServerNames() == nil)
        let task = try task(settings, section: "downloads", text: "in")
        #expect(task.destination?.path == "/jobs/in/")
        #expect(task.destination?.ifExists == .replace)
        let named = try #require(task.destination).appending("a", isOfURL: true)
        #expect(named.replacesOnlyOwn)
        #expect(try fault(settings, section: "downloads", text: "") != nil)
        #expect(try fault(settings, section: "downloads", text: ".") != nil)
    }

    @Test(arguments: [
        (#"["${task.log.in.text}"]"#, ["text"]), (#"["${task.log.in.text}", q]"#, ["text", "q"]),
        (#"[/bin/x, "--id=${task.log.in.number}", q]"#, ["/bin/x", "--id=12", "q"]),
    ])
    func `captured values are arguments of a command`(command: String, arguments: [String]) throws {
        let task = try task(
            #"url: "https://a.example", stream: { command: \#(command) }"#,
            section: "uploads"
        )
        #expect(task.body == .command(arguments, folder: "/jobs/"))
    }

    @Test func `an empty captured value is no program`() throws {
        let found = try fault(
            #"url: "https://a.example", stream: { command: ["${task.log.in.text}", x] }"#,
            section: "uploads",
            text: ""
        )
        #expect(found == "job.bad-value: `command`: the program has no name")
    }

    @Test func `a value that was not captured is a fault of the task`() throws {
        let plan = try plan(#"url: "https://a.example/${task.log.in.text}""#)
        #expect(throws: PlanRejected.self) { try plan.task(at: 2) }
        let error = #expect(throws: PlanRejected.self) { try plan.task(at: 2, captured: [0: []]) }
        #expect(error?.description == "line 13, column 52: `url`: `log.in` has not captured `text`")
    }

    @Test func `a long value is cut where a message quotes it`() throws {
        let long = String(repeating: "x", count: 60_000)
        let error = #expect(throws: PlanRejected.self) {
            try task(#"url: "${task.log.in.text}""#, text: long)
        }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("line 13, column 33: `url`: `xxx"))
        #expect(description.unicodeScalars.count < 400)
    }

    @Test func `a task that has not started has an outline`() throws {
        let plan = try plan(
            #"session: s, url: "https://a.example/${task.log.in.text}", method: PUT, description: d"#
        )
        let outline = plan.outline(of: 2)
        #expect(
            outline
                == TaskOutline(
                    session: 0,
                    method: "PUT",
                    url: "https://a.example/${task.log.in.text}",
                    description: "d",
                    source: SourceLocation(file: "test.yaml", line: 13, column: 3)
                )
        )
        #expect(plan.outline(of: 0).url == "https://example.com/login")
    }

    @Test func `a plan lists the uses of captured values, also for a part of the tasks`()
        throws
    {
        let text = """
            version: 1
            data:
              unused: { url: http://a/ }
              a: { url: http://a/, capture: { x: { header: X } , y: { header: Y } } }
              b: { url: "http://a/${task.a.x}/${task.a.y}", needs: [a], capture: { z: { header: Z } } }
              c: { url: "http://a/${task.b.z}/${task.a.x}", needs: [b] }
            """
        let whole = try TestJob.plan(text).captureUses.pairs
        #expect(whole.map { [$0.user, $0.source] } == [[2, 1], [3, 2], [3, 1]])
        let part = try TestJob.plan(text, only: ["b"])
        #expect(part.captureUses.pairs.map { [$0.user, $0.source] } == [[1, 0]])
        let values = [CapturedValue("x", "1"), CapturedValue("y", "2")]
        #expect(try part.task(at: 1, captured: [0: values]).request.url.text == "http://a/1/2")
    }

    @Test(arguments: [
        ("http://a.example/", true), ("http://a.example/${task.log.in.text}", true),
        ("https://a.example/${task.log.in.text}", false), ("${task.log.in.text}", false),
        ("http://${task.log.in.text}.a.example/", false),
    ])
    func `captured credentials over plain http cause a warning`(
        url: String,
        isWarned: Bool
    ) throws {
        let plan = try plan(
            #"url: "\#(url)", headers: { Authorization: "${task.log.in.token}" }"#
        )
        #expect(plan.warnings.map(\.code) == (isWarned ? ["job.plain-http-credentials"] : []))
    }

    @Test func `literal text around a captured value is checked before the run`() throws {
        for url in ["https://a.example/a b/", "ftp://a.example/", "https://me:secret@a.example/"] {
            #expect(throws: PlanRejected.self) {
                try plan(#"url: "\#(url)${task.log.in.text}""#)
            }
        }
        #expect(throws: PlanRejected.self) {
            try plan(#"url: "https://a.example", responseTo: "out/${task.log.in.text}/../x""#)
        }
    }

    @Test func `a listing shows captures, and values as the expressions that ask for them`() throws
    {
        let plan = try plan(#"url: "https://a.example/${task.log.in.text}""#)
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        let lines = text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains("capture.text {json: /text} (line 8)"))
        #expect(lines.contains("url https://a.example/${task.log.in.text} (line 13)"))
    }
}
