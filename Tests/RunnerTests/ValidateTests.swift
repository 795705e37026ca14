import TestSupport
import Testing

@Suite struct ValidateTests {
    private static let valid = "version: 1\ndata:\n  a: { url: http://127.0.0.1:1/ }\n"
    private static let faulty = """
        version: 1
        nonsense: 1
        data:
          a: { url: "ftp//nowhere", timout: 3s }
        downloads:
          b: { url: http://127.0.0.1:1/, to: b, segmentz: 2 }
        """

    /// The `line:column` of each diagnostic in text.
    private func places(_ text: String, file: String = "job.yaml") -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("\(file):") }.map {
            $0.split(separator: ":").dropFirst().prefix(2).joined(separator: ":")
        }
    }

    @Test func `a valid file has one line and quiet has none`() throws {
        let job = try JobFolder(Self.valid)
        let said = try job.runner(["validate", "job.yaml"])
        #expect(said.status == .exit(0))
        #expect(said.standardOutput == "job.yaml: valid, 1 task\n")
        for silent in [["validate", "job.yaml", "--quiet"], ["validate", "-q", "job.yaml"]] {
            let outcome = try job.runner(silent)
            #expect(outcome.status == .exit(0))
            #expect(outcome.standardOutput + outcome.standardError == "")
        }
    }

    private static let ofAnotherMachine = """
        version: 1
        variables: { region: null }
        sessions:
          s: { httpAdditionalHeaders: { X-Build: "${env.BUILD}" }, tls: { caFile: ca.pem } }
        data:
          a: { url: "${env.API:?the API of the stage}/a" }
          b: { url: "http://127.0.0.1:1/${var.region}", needs: [a] }
        uploads:
          c: { url: "http://127.0.0.1:1/", file: "build/${env.BUILD}.zip" }
          d: { url: "http://127.0.0.1:1/", file: build/report.json }
        downloads:
          e: { forEach: { csv: rows.csv }, url: "http://127.0.0.1:1/${item.id}", to: "${item.id}" }
        """

    @Test func `--no-environment checks a job without its environment`() throws {
        let job = try JobFolder(Self.ofAnotherMachine)
        #expect(try job.runner(["validate", "job.yaml"]).status == .exit(4))
        for strict in [[], ["--strict"]] {
            let outcome = try job.runner(["validate", "--no-environment", "job.yaml"] + strict)
            #expect(outcome.status == .exit(0), "\(outcome.standardError)")
            #expect(outcome.standardError.contains("warning: "))
            #expect(!outcome.standardError.contains("error: "))
            #expect(outcome.standardOutput.hasPrefix("job.yaml: valid, "))
        }
        let environment = ["RUNNER_NO_ENVIRONMENT": "1"]
        let chosen = try job.runner(["validate", "job.yaml"], environment: environment)
        #expect(chosen.status == .exit(0))
    }

    @Test func `without its environment the faults of a job file are faults`() throws {
        let job = try JobFolder(
            Self.ofAnotherMachine
                + "\n  f: { url: \"${env.API}/f\", to: f, retires: 3, needs: [g], mode: \"0999\" }\n"
        )
        let outcome = try job.runner(["validate", "--no-environment", "job.yaml"])
        #expect(outcome.status == .exit(3))
        for words in ["unknown key `retires`", "there is no task `g`", "`mode`"] {
            #expect(outcome.standardError.contains(words), "\(outcome.standardError)")
        }
    }

    @Test func `each fault is one diagnostic, in file order`() throws {
        let outcome = try JobFolder(Self.faulty).runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(places(outcome.standardError) == ["2:1", "4:13", "4:29", "6:41"])
        #expect(outcome.standardOutput.isEmpty)
    }

    @Test func `a fault shows its line, a caret and a hint`() throws {
        let job = try JobFolder(
            "version: 1\ndata:\n  a: { url: http://127.0.0.1:1/, prioritty: 1 }\n"
        )
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(
            outcome.standardError == """
                job.yaml:3:34: error: unknown key `prioritty` in data `a` [job.unknown-key]
                3 |   a: { url: http://127.0.0.1:1/, prioritty: 1 }
                  |                                  ^~~~~~~~~
                  = help: did you mean `priority`?

                """
        )
    }

    @Test func `several files are all checked, and the gravest gives the code`() throws {
        let job = try JobFolder(Self.faulty)
        try job.folder.write(Self.valid, to: "valid.yaml")
        try job.folder.write(
            "version: 1\ndata: { a: { url: \"${env.NOT_SET_ANYWHERE}\" } }\n",
            to: "environment.yaml"
        )
        let all = try job.runner(
            ["validate", "missing.yaml", "environment.yaml", "job.yaml", "valid.yaml"]
        )
        #expect(all.status == .exit(3))
        #expect(all.standardOutput == "valid.yaml: valid, 1 task\n")
        #expect(all.standardError.contains("missing.yaml: No such file or directory"))
        #expect(places(all.standardError, file: "environment.yaml").count == 1)
        #expect(places(all.standardError).count == 4)
        let some = try job.runner(["validate", "valid.yaml", "environment.yaml"])
        #expect(some.status == .exit(4))
    }

    @Test(arguments: [[], ["--format", "json"]])
    func `JSON has the documented members in file order`(option: [String]) throws {
        let job = try JobFolder(Self.faulty)
        try job.folder.write(Self.valid, to: "valid.yaml")
        let outcome = try job.runner(
            ["validate", "valid.yaml", "job.yaml"] + option,
            environment: option.isEmpty ? ["RUNNER_FORMAT": "json"] : [:]
        )
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.isEmpty)
        let diagnostics = try JSONValue(outcome.standardOutput).elements
        let lines = diagnostics.map { $0["range"]?["start"]?["line"]?.integer }
        #expect(lines == [2, 4, 4, 6])
        for diagnostic in diagnostics {
            let names = Set(diagnostic.members.map(\.name))
            #expect(
                names.isSuperset(
                    of: ["code", "severity", "message", "file", "range", "notes", "fixIt"]
                )
            )
            #expect(diagnostic["file"]?.string == "job.yaml")
            #expect(diagnostic["severity"]?.string == "error")
            #expect(diagnostic["code"]?.string?.hasPrefix("job.") == true)
        }
    }

    @Test func `JSON without faults is an empty list`() throws {
        let outcome = try JobFolder(Self.valid)
            .runner(["validate", "job.yaml", "--format", "json"])
        #expect(outcome.status == .exit(0))
        #expect(try JSONValue(outcome.standardOutput) == .array([]))
    }

    @Test func `a file of 2,000 tasks is valid`() throws {
        let tasks = (0..<2000).map { number in
            "  t\(number): { url: http://127.0.0.1:1/\(number), to: out/\(number).bin"
                + (number > 0 ? ", needs: [t\(number - 1)] }\n" : " }\n")
        }
        let job = try JobFolder("version: 1\ndownloads:\n" + tasks.joined())
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(outcome.standardOutput == "job.yaml: valid, 2000 tasks\n")
    }

    @Test func `of 2,000 faults the first 1,000 are reported`() throws {
        let tasks = (0..<2000).map { "  t\($0): { url: http://127.0.0.1:1/, nonsense: 1 }\n" }
        let job = try JobFolder("version: 1\ndata:\n" + tasks.joined())
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(places(outcome.standardError).count == 1001)
        #expect(outcome.standardError.contains("[job.too-many-faults]"))
    }

    @Test func `colour is used only on request`() throws {
        let job = try JobFolder("version: 2\n")
        func output(_ environment: [String: String?]) throws -> String {
            try job.runner(["validate", "job.yaml"], environment: environment).standardError
        }
        #expect(try !output([:]).contains("\u{1B}["))
        #expect(try output(["CLICOLOR_FORCE": "1"]).contains("\u{1B}["))
        #expect(try !output(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).contains("\u{1B}["))
    }
}
