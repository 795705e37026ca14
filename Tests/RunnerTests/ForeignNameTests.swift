import TestSupport
import Testing

/// Paths, arguments and variables whose bytes are not UTF-8.
@Suite struct ForeignNameTests {
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer { _ in .ok("abc") }
    }

    /// Runs a script of sh with `$runner`, and `$b`, which is the byte 0xFF.
    private func script(_ text: String, in job: JobFolder) throws -> Command.Outcome {
        var command = try job.command([])
        command.arguments = ["-c", "runner=$0; b=$(printf '\\377'); \(text)", command.executable]
        command.executable = "sh"
        return try command.run()
    }

    private func download() throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            report: { json: r.json }
            downloads: { a: { url: \(server.url("/a")), to: out/a } }
            """
        )
    }

    @Test(arguments: ["cd d$b && $runner run job.yaml", "$runner run d$b/job.yaml"])
    func `a job in a folder that is not UTF-8 writes into that folder`(start: String) throws {
        let job = try download()
        let run = try script("mkdir d$b && cp job.yaml d$b && (\(start)) && cat d$b/out/a", in: job)
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(run.standardOutput == "abc")
        let names = try script("ls d$b | tr '\\n' ' '; ls | wc -l", in: job)
        #expect(names.standardOutput.split(separator: " ") == ["job.yaml", "out", "r.json", "2\n"])
    }

    @Test func `a job whose own name is not UTF-8 runs, and has a lock of its own`() throws {
        let job = try download()
        try job.folder.write("schedule: { lock: fail }\n" + job.folder.text("job.yaml"), to: "x")
        let run = try script(
            "for c in 376 377; do j=$(printf \"j\\\\$c.yaml\"); cp x \"$j\"; "
                + "$runner run \"$j\" --report \"$j.json\" || exit; test -s \"$j.json\" || exit; done",
            in: job
        )
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(try job.folder.list(".local/state/runner/locks").count == 2)
    }

    @Test func `a file that cannot be opened is named with its bytes`() throws {
        let run = try script("$runner run j$b.yaml", in: try download())
        #expect(run.status == .exit(4))
        #expect(run.standardError == "runner: cannot open j\\xFF.yaml: No such file or directory\n")
    }

    @Test func `the hook's environment has the bytes of the run's`() throws {
        let job = try JobFolder(
            """
            version: 1
            report: { json: r.json }
            data: { a: { url: \(server.url("/a")) } }
            hooks: { onFinish: [sh, -c, 'printf %s "$V" | od -An -tx1'] }
            """
        )
        let run = try script("V=v$b $runner run job.yaml", in: job)
        #expect(run.status == .exit(0))
        #expect(run.standardError.contains("76 ff"))
    }

    @Test(arguments: [
        ("secrets: { t: { env: V } }", "headers: { X-T: '${secret.t}' }", "secret `t`"),
        ("", "headers: { X-T: '${env.V}' }", "environment variable `V`"),
        ("", "headers: { X-T: '${env.V:-x}' }", "environment variable `V`"),
        ("variables: { V: x }", "headers: { X-T: '${var.V}' }", "variable RUNNER_VAR_V"),
    ])
    func `a value that is not UTF-8 is refused before any request`(
        top: String,
        task: String,
        name: String
    ) throws {
        let job = try JobFolder(
            """
            version: 1
            report: { json: r.json }
            \(top)
            data: { a: { url: \(server.url("/a")), \(task) } }
            """
        )
        let variable = name.hasSuffix("RUNNER_VAR_V") ? "RUNNER_VAR_V" : "V"
        let run = try script("export \(variable)=abcdef${b}g; $runner run job.yaml", in: job)
        #expect(run.status == .exit(4))
        #expect(run.standardError.contains("\(name) is not UTF-8 text"), "\(run.standardError)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a proxy whose login is not UTF-8 is refused before anything is sent`() throws {
        let run = try script("http_proxy=http://u:p$b@h $runner run job.yaml", in: try download())
        #expect(run.status == .exit(4))
        let words = "`http_proxy` names a proxy in bytes that are not UTF-8"
        #expect(run.standardError.contains(words), "\(run.standardError)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a variable of the command line that is not UTF-8 is a wrong command line`() throws {
        let run = try script("$runner run job.yaml --var x=$b", in: try download())
        #expect(run.status == .exit(2))
        #expect(server.requests.isEmpty)
    }
}
