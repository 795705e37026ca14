import Diagnostics
import JSON
import Plan
import TestSupport
import Testing
import TransferModel

@Suite struct SecretTests {
    private static let job = """
        version: 1
        variables: { bearer: "Bearer ${secret.token}", base: "https://example.com/${secret.path}" }
        secrets:
          token: { env: TOKEN }
          path: { file: path.txt, allowInURL: true }
          shared: { command: [pass, show], timeout: 5s }
          unused: { env: UNUSED }
        sessions: { s: { httpAdditionalHeaders: { X-Shared: "<${secret.shared}>" } } }
        data:
          first: { url: "${var.base}?a=b", headers: { Authorization: "${var.bearer}" } }
        uploads:
          second:
            url: https://example.com/
            headers: { x-shared: plain }
            json: { "a/b": "${secret.token}", list: [1, "x${secret.token}"] }
          third: { url: https://example.com/, text: "${var.bearer}", headers: { X-Shared: plain } }
          fourth: { url: https://example.com/, text: plain, headers: { X-Shared: plain } }
        """

    private static let values = [
        "token": Secret("t\"o\nk"), "path": Secret("p%2Fq/r?s=t"), "shared": Secret("sh"),
    ]

    @Test func `a plan that is not run has stand-ins`() throws {
        let task = try TestJob.plan(Self.job).task(at: 0)
        #expect(task.request.url.text == "https://example.com/redacted?a=b")
        #expect(task.request.headers.map(\.value) == ["Bearer redacted", "<redacted>"])
    }

    @Test
    func `values are put in place in fields, URLs and bodies, through variables and sessions`()
        throws
    {
        let job = Self.job.replacing("Authorization: \"${var.bearer}\"", with: "X-Own: a")
        let plan = try TestJob.plan(job).with(Self.values)
        let first = try plan.task(at: 0)
        #expect(first.request.url.text == "https://example.com/p%2Fq/r?s=t?a=b")
        #expect(first.request.headers.map(\.value) == ["a", "<sh>"])
        let second = try plan.task(at: 1)
        #expect(second.body == .bytes(Array(#"{"a\/b":"t\"o\nk","list":[1,"xt\"o\nk"]}"#.utf8)))
        #expect(try plan.task(at: 2).body == .bytes(Array("Bearer t\"o\nk".utf8)))
        #expect(plan.sessions[0].httpAdditionalHeaders.map(\.value) == ["<sh>"])
    }

    @Test(arguments: [
        ([], ["token", "path", "shared"]), (["first"], ["token", "path", "shared"]),
        (["second"], ["token"]), (["third", "fourth"], ["token"]), (["fourth"], []),
    ])
    func `a run needs the secrets of the tasks that it runs`(only: [String], names: [String]) throws
    {
        #expect(try TestJob.plan(Self.job, only: only).neededSecrets.map(\.name) == names)
    }

    @Test func `a secret keeps its declared source and origins`() throws {
        let secrets = try TestJob.plan(Self.job).neededSecrets
        #expect(
            secrets.map(\.source) == [
                .environment("TOKEN"), .file(path: "/jobs/path.txt", displayPath: "path.txt"),
                .command(["pass", "show"], timeout: .seconds(5)),
            ]
        )
    }

    @Test(arguments: [
        ("token", "a\nb"), ("token", "a\r\nX-Evil: b"), ("token", "a\0b"), ("path", "a\nb"),
        ("path", "a\0b"), ("path", "a\u{7F}b"), ("shared", "a\nb"),
    ])
    func `a value that could become syntax is refused before any request`(
        name: String,
        value: String
    ) throws {
        var values = ["token": Secret("t"), "path": Secret("p"), "shared": Secret("sh")]
        values[name] = Secret(value)
        let plan = try TestJob.plan(Self.job)
        let rejected = try #require(throws: PlanRejected.self) { try plan.with(values) }
        #expect(rejected.isEnvironment)
        #expect(rejected.diagnostics.map(\.code) == ["job.missing-secret"])
        #expect(rejected.diagnostics.first?.message.contains(value) == false)
    }

    @Test(arguments: [
        ("${env.BAD}", ["BAD": "a\nb"], "job.bad-header"),
        ("${env.BAD}", ["BAD": "a\rb"], "job.bad-header"),
        ("a${env.BAD}", ["BAD": "\u{7F}"], "job.bad-header"),
        ("${var.bad}", [:], "job.bad-header"),
    ])
    func `line ends and other controls of variables never reach a header`(
        text: String,
        environment: [String: String],
        code: String
    ) throws {
        let job = """
            version: 1
            variables: { bad: "a\\r\\nX-Evil: 1", nul: "\\0" }
            data:
              it: { url: https://example.com/, headers: { X-A: "\(text)" } }
              nul: { url: https://example.com/, headers: { X-A: "${var.nul}" } }
              url: { url: "https://example.com/${var.bad}" }
            """
        let faults = try TestJob.faults(job, environment: environment)
        #expect(
            faults.map { $0.split(separator: " ").last } == [code[...], code[...], "job.bad-url"]
        )
    }

    @Test func `a job has at most 64 secrets`() throws {
        func job(_ count: Int) -> String {
            let names = (0..<count).map { "s\($0): { env: S\($0) }" }.joined(separator: ", ")
            let url = "url: https://example.com/, text: \"${secret.s0}${secret.s\(count - 1)}\""
            return "version: 1\nsecrets: { \(names) }\nuploads: { it: { \(url) } }"
        }
        #expect(try TestJob.plan(job(64)).neededSecrets.map(\.name) == ["s0", "s63"])
        #expect(try TestJob.faults(job(65)).first?.hasSuffix("job.out-of-range") == true)
    }

    @Test func `the listing names the secrets and shows no stand-in`() throws {
        let listing = PlanListing(try TestJob.plan(Self.job))
        var text = ""
        listing.writeText { text += $0 }
        #expect(text.contains("\nsecrets: path, shared, token\n"))
        #expect(text.contains("Bearer ${secret.token}") || text.contains("${var.bearer}"))
        #expect(!text.replacing("‹redacted›", with: "").contains("redacted"))
        var json: [UInt8] = []
        listing.writeJSON { (bytes: Span<UInt8>) in
            for index in bytes.indices { json.append(bytes[index]) }
        }
        let names = try JSONValue(bytes: json)["secrets"]?.elements.map(\.string)
        #expect(names == ["path", "shared", "token"])
    }

    private static let captured = """
        version: 1
        secrets: { token: { env: TOKEN, allowInURL: true, origins: ["https://a.example"] } }
        data:
          login: { url: https://a.example/, capture: { id: { json: /id }, base: { header: Location } } }
          field: { url: "${raw:task.login.base}x", needs: [login], headers: { X-T: "${secret.token}" } }
          query: { url: "${raw:task.login.base}${secret.token}", needs: [login] }
        uploads:
          form:
            url: https://a.example/
            needs: [login]
            form: { a: "${task.login.id}", b: ["${secret.token}", "${secret.token}${task.login.id}"] }
          parts:
            url: https://a.example/
            needs: [login]
            multipart:
              plain: "${task.login.id} ${secret.token}"
              text: { text: "${task.login.id}", headers: { X-Part: "${secret.token}${task.login.id}" } }
              json: { json: { id: "${task.login.id}", token: "${secret.token}" } }
          packed:
            url: https://a.example/
            needs: [login]
            json: ["${task.login.id}", "${secret.token}"]
            encoding: { contentEncoding: gzip }
        """

    private static func task(_ number: Int, base: String = "https://a.example/") throws -> TaskSpec
    {
        let values = [CapturedValue("id", "4 2"), CapturedValue("base", base)]
        return try TestJob.plan(captured).with(["token": Secret("s3cr&t")])
            .task(at: number, captured: [0: values])
    }

    @Test(arguments: [
        ("login", []), ("field", ["token"]), ("query", ["token"]), ("form", ["token"]),
        ("parts", ["token"]), ("packed", ["token"]),
    ])
    func `a task that waits for captured values still needs its secrets`(
        task: String,
        names: [String]
    ) throws {
        let plan = try TestJob.plan(Self.captured, only: [task])
        #expect(plan.neededSecrets.map(\.name) == names)
    }

    @Test func `a form has secrets and captured values`() throws {
        let form = try Self.task(3).body
        #expect(form == .bytes(Array("a=4+2&b=s3cr%26t&b=s3cr%26t4+2".utf8)))
    }

    @Test func `parts of a body have secrets and captured values`() throws {
        guard case .multipart(let parts)? = try Self.task(4).body else {
            Issue.record("no parts")
            return
        }
        let json = #"{"id":"4 2","token":"s3cr&t"}"#
        #expect(
            parts.map(\.content)
                == ["4 2 s3cr&t", "4 2", json].map { .bytes(Array($0.utf8)) }
        )
        #expect(parts[1].headers == [HeaderField(name: "X-Part", value: "s3cr&t4 2")])
    }

    @Test func `a compressed body has secrets and captured values`() throws {
        guard case .compressed(_, let count)? = try Self.task(5).body else {
            Issue.record("not compressed")
            return
        }
        #expect(count == #"["4 2","s3cr&t"]"#.utf8.count)
    }

    @Test(arguments: [
        (1, "https://a.example/", nil), (1, "https://b.example/", "job.secret-to-other-origin"),
        (1, "http://a.example/", "job.secret-over-plain-http"),
        (2, "https://a.example/", nil), (2, "https://b.example/", "job.secret-to-other-origin"),
        (2, "http://a.example/", "job.secret-over-plain-http"),
        (2, "https://a.example", "job.secret-in-url"), (2, "https://", "job.secret-in-url"),
    ])
    func `a captured origin is judged before its task starts`(
        number: Int,
        base: String,
        code: String?
    ) throws {
        do {
            let task = try Self.task(number, base: base)
            #expect(code == nil)
            #expect(task.request.url.text == base + (number == 1 ? "x" : "s3cr&t"))
        } catch let rejected as PlanRejected {
            #expect(rejected.diagnostics.map(\.code) == [code])
        }
    }

    @Test(arguments: [
        #"stream: { command: [cat, "${secret.s}"] }"#,
        #"multipart: { a: { text: b, fileName: "${secret.s}" } }"#,
        #"multipart: { a: { text: b, contentType: "${secret.s}" } }"#,
        #"stream: { command: [cat], contentType: "${secret.s}" }"#,
    ])
    func `a secret is not allowed beside a body`(body: String) throws {
        let faults = try TestJob.faults(
            """
            version: 1
            secrets: { s: { env: S } }
            uploads: { it: { url: https://a.example/, \(body) } }
            """
        )
        #expect(faults.map { $0.split(separator: " ").last } == ["job.secret-misplaced"])
    }

    private static func each(_ items: String, _ settings: String) -> String {
        """
        version: 1
        secrets: { token: { env: TOKEN, origins: ["https://a.example"] }, other: { env: OTHER } }
        data: { other: { url: https://a.example/, headers: { X-T: "${secret.other}" } } }
        uploads: { each: { forEach: { items: \(items) }, \(settings) } }
        """
    }

    @Test func `every item's task has the secrets of its settings`() throws {
        let job = Self.each(
            "[b, c]",
            #"""
            url: "https://a.example/${item}", headers: { X-T: "${secret.token}" },
            json: { item: "${item}", secret: "${secret.token}" }
            """#
        )
        for only in ["each", "each[c]"] {
            #expect(try TestJob.plan(job, only: [only]).neededSecrets.map(\.name) == ["token"])
        }
        let plan = try TestJob.plan(job)
            .with(["token": Secret("s3cret"), "other": Secret("0ther")])
        for (number, item) in [(1, "b"), (2, "c")] {
            let task = try plan.task(at: number)
            #expect(task.request.headers.first?.value == "s3cret")
            let json = #"{"item":"\#(item)","secret":"s3cret"}"#
            #expect(task.body == .bytes(Array(json.utf8)))
        }
    }

    @Test(arguments: [
        ("[a, b]", "https://${item}.example/", "job.secret-to-other-origin"),
        ("[https, http]", "${item}://a.example/", "job.secret-over-plain-http"),
        (#"["${secret.token}"]"#, "https://a.example/${item}", "job.secret-misplaced"),
    ])
    func `an item cannot carry a secret to a forbidden setting`(
        items: String,
        url: String,
        code: String
    ) throws {
        let job = Self.each(
            items,
            #"url: "\#(url)", headers: { X-T: "${secret.token}" }, text: a"#
        )
        let faults = try TestJob.faults(job)
        #expect(Set(faults.map { $0.split(separator: " ").last }) == [code[...]])
    }

    private static let sessionOfRow = """
        version: 1
        secrets: { a: { env: A }, b: { env: B } }
        sessions:
          s1: { httpAdditionalHeaders: { X-Token: "${secret.a}" } }
          s2: { httpAdditionalHeaders: { X-Token: "${secret.b}" } }
        data: { each: { forEach: { items: [s1, s2] }, session: "${item}", url: https://a.example/ } }
        """

    @Test func `every item's task has the secrets of the session that its item names`() throws {
        let plan = try TestJob.plan(Self.sessionOfRow)
        #expect(plan.neededSecrets.map(\.name) == ["a", "b"])
        let known = try plan.with(["a": Secret("aaaa"), "b": Secret("bbbb")])
        let values = try (0..<2).map { try known.task(at: $0).request.headers.map(\.value) }
        #expect(values == [["aaaa"], ["bbbb"]])
    }

    @Test(arguments: [
        "session: plain, url: https://a.example/, headers: { X-T: \"${secret.s}\" }",
        "session: plain, url: https://a.example/, headers: { X-T: \"${var.s}\" }",
        "session: plain, url: \"https://a.example/${secret.s}\"",
        "url: https://a.example/, session: secret",
    ])
    func `a run never sends the stand-in of a secret`(settings: String) throws {
        let plan = try TestJob.plan(
            """
            version: 1
            secrets: { s: { env: S, allowInURL: true } }
            variables: { s: "${secret.s}" }
            sessions: { plain: {}, secret: { httpAdditionalHeaders: { X-S: "${secret.s}" } } }
            data:
              it: { \(settings) }
              plain: { session: plain, url: https://a.example/ }
            """
        ).with([:])
        let rejected = try #require(throws: PlanRejected.self) { try plan.task(at: 0) }
        #expect(rejected.diagnostics.map(\.code) == ["job.missing-secret"])
        #expect(try plan.task(at: 1).request.headers.isEmpty)
    }

    @Test(arguments: [
        (#"url: "https://b.example/", headers: { X-T: "${task.a.v}" }"#, "to-other-origin"),
        (#"url: "https://b.example/?q=${task.a.v}""#, "in-url"),
        (#"url: "${task.a.v}""#, "in-url"),
        (#"url: "https://a.example/", text: "<${task.a.v}>", headers: { X-T: a }"#, nil),
        (#"url: "https://b.example/", text: "<${task.a.v}>""#, "to-other-origin"),
        (#"url: "https://a.example/", text: a, description: "${task.a.v}""#, "misplaced"),
        (#"url: "https://a.example/", text: a, responseTo: "out/${task.a.v}""#, "in-path"),
    ])
    func `a secret that a server sends back goes only where the secret may`(
        settings: String,
        code: String?
    ) throws {
        let plan = try TestJob.plan(
            """
            version: 1
            secrets: { s: { env: S, origins: ["https://a.example"] } }
            data:
              a:
                url: https://a.example/
                headers: { X-T: "${secret.s}" }
                capture: { v: { json: /v } }
            uploads: { it: { needs: [a], \(settings.contains("text:") ? "" : "text: a, ")\(settings) } }
            """
        ).with(["s": Secret("s3cret")])
        func codes(_ value: String) -> [String] {
            do {
                _ = try plan.task(at: 1, captured: [0: [CapturedValue("v", value)]])
                return []
            } catch {
                return error.diagnostics.map(\.code)
            }
        }
        #expect(codes("https://b.example/?x=s3cret") == (code.map { ["job.secret-\($0)"] } ?? []))
        if !settings.contains("responseTo") { #expect(codes("https://b.example/x") == []) }
    }

    @Test(arguments: ["${env.TOKEN}", "${var.token}", "${env.TOKEN:-none}"])
    func `the variable of a declared secret is an error in expressions`(text: String) throws {
        let faults = try TestJob.faults(
            """
            version: 1
            variables: { token: "a ${env.TOKEN:-b}" }
            secrets: { first: { file: a }, token: { env: TOKEN } }
            data: { it: { url: "https://a.example/?t=\(text)" } }
            """,
            environment: ["TOKEN": "s3cret"]
        )
        let codes = faults.map { $0.split(separator: " ").last }
        #expect(
            codes == Array(repeating: "job.secret-exposed", count: text.hasPrefix("${v") ? 1 : 2)
        )
    }
}
