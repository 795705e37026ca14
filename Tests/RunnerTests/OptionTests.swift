import TestSupport
import Testing

@Suite struct OptionTests {
    @Test
    func `variables of the command line override the environment's and the file's`()
        throws
    {
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            variables: { one: file, two: file, three: file, four: "${env.FOUR:-fallback}" }
            data:
              a: { url: "\(server.origin)/${var.one}/${var.two}/${var.three}/${var.four}" }
            """
        )
        let run = try job.run(
            "--var",
            "one=option",
            environment: ["RUNNER_VAR_one": "environment", "RUNNER_VAR_two": "environment"]
        )
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.path) == ["/option/environment/file/fallback"])
    }

    @Test func `a value may have an equals sign in it and may be empty`() throws {
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            variables: { query: x, nothing: x }
            data: { a: { url: "\(server.origin)/${var.nothing}?${raw:var.query}" } }
            """
        )
        #expect(try job.run("--var", "query=a=b", "--var", "nothing=").code == 0)
        #expect(server.requests.map(\.target) == ["/?a=b"])
    }

    @Test func `a value and a job file's name may begin with a combining mark`() throws {
        let server = try ScriptedServer { _ in .ok("x") }
        let job = try JobFolder("")
        try job.folder.makeFolder("deep")
        try job.folder.write(
            "version: 1\nvariables: { q: x }\n"
                + "downloads: { a: { url: \"\(server.origin)/${var.q}\", to: a.bin } }\n",
            to: "deep/\u{301}job.yaml"
        )
        let outcome = try job.runner([
            "run", "deep/\u{301}job.yaml", "--report", "r.json", "--var", "q=\u{301}y",
        ])
        #expect(try outcome.reported(in: job.folder, as: "r.json").code == 0, "\(outcome)")
        #expect(server.requests.map(\.target) == ["/%CC%81y"])
        #expect(try job.folder.text("deep/a.bin") == "x")
    }

    /// The place of a report when several are named: the command line's, the environment's, the
    /// job's, else one in the state folder.
    @Test func `a report goes to the path of the closest setting`() throws {
        let server = try ScriptedServer { _ in .ok("") }
        func reports(
            _ arguments: [String] = [],
            _ environment: [String: String?] = [:],
            job text: String = ""
        ) throws -> [String] {
            let job = try JobFolder(
                "version: 1\nname: my job\ndata: { a: { url: \(server.url("/")) } }\n\(text)"
            )
            let outcome = try job.runner(["run", "job.yaml"] + arguments, environment: environment)
            let found = try Command(
                "find",
                [".", "-name", "*.json"],
                workingFolder: job.folder.path
            )
            .run().standardOutput.split(separator: "\n").map(String.init)
            for name in found { #expect(try outcome.reported(in: job.folder, as: name).code == 0) }
            // The key of the job file's path differs from folder to folder.
            return found.map { $0.replacing(#/-[0-9a-f]{8}\.json$/#, with: "-KEY.json") }
        }
        let own = "report: { json: out/own.json }"
        #expect(
            try reports(["--report", "here.json"], ["RUNNER_REPORT": "there.json"], job: own)
                == ["./here.json"]
        )
        #expect(try reports([], ["RUNNER_REPORT": "there.json"], job: own) == ["./there.json"])
        #expect(try reports(job: own) == ["./out/own.json"])
        #expect(try reports(["--state-dir", "state"]) == ["./state/reports/my_job-KEY.json"])
        #expect(
            try reports([], ["RUNNER_STATE_DIR": "state"]) == ["./state/reports/my_job-KEY.json"]
        )
        #expect(try reports() == ["./.local/state/runner/reports/my_job-KEY.json"])
    }

    @Test func `state and reports are for their owner alone`() throws {
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder("version: 1\ndata: { a: { url: \(server.url("/")) } }\n")
        let outcome = try job.runner(["run", "job.yaml", "--state-dir", "state"])
        #expect(outcome.status == .exit(0))
        #expect(try job.folder.mode(of: "state") == 0o700)
        #expect(try job.folder.mode(of: "state/reports") == 0o700)
        let name = try #require(try job.folder.list("state/reports").first)
        #expect(try job.folder.mode(of: "state/reports/\(name)") == 0o600)
    }

    @Test func `jobs of one name in two folders keep their own reports`() throws {
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder("")
        for name in ["one", "two"] {
            try job.folder.makeFolder(name)
            try job.folder.write(
                "version: 1\ndata: { a: { url: \(server.url("/")) } }\n",
                to: "\(name)/job.yaml"
            )
        }
        let paths = [
            "one/job.yaml", "./one/job.yaml", job.folder.path("one/job.yaml"), "two/job.yaml",
        ]
        for path in paths {
            let outcome = try job.runner(["run", path, "--state-dir", "state"])
            #expect(outcome.status == .exit(0))
        }
        #expect(try job.folder.list("state/reports").count == 2)
    }

    @Test func `paths of the job are relative to its folder`() throws {
        let server = try ScriptedServer { _ in .ok("x") }
        let job = try JobFolder("")
        try job.folder.makeFolder("deep")
        try job.folder.write(
            "version: 1\ndownloads: { a: { url: \(server.url("/")), to: out/a.bin } }\n",
            to: "deep/job.yaml"
        )
        let outcome = try job.runner(["run", "deep/job.yaml", "--report", "report.json"])
        #expect(try outcome.reported(in: job.folder).code == 0)
        #expect(try job.folder.text("deep/out/a.bin") == "x")
    }
}
