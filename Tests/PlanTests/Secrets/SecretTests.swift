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

    @Test func `a plan that is only looked at has stand-ins`() throws {
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

    @Test func `what is said of a secret is kept`() throws {
        let secrets = try TestJob.plan(Self.job).neededSecrets
        #expect(
            secrets.map(\.source) == [
                .environment("TOKEN"), .file(path: "/jobs/path.txt", displayPath: "path.txt"),
                .command(["pass", "show"], timeout: .seconds(5)),
            ]
        )
    }

    @Test(arguments: [
        ("token", "a\nb"), ("token", "a\r\nX-Evil: b"), ("token", "a\0b"), ("path", "x y"),
        ("path", "a\nb"), ("path", "a\0b"), ("path", #"a\b"#), ("shared", "a\nb"),
    ])
    func `a value that could become syntax is refused before anything is sent`(
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
        #expect(!text.contains("redacted"))
        var json: [UInt8] = []
        listing.writeJSON { (bytes: Span<UInt8>) in
            for index in bytes.indices { json.append(bytes[index]) }
        }
        let names = try JSONValue(bytes: json)["secrets"]?.elements.map(\.string)
        #expect(names == ["path", "shared", "token"])
    }
}
