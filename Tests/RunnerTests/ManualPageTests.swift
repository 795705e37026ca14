import TestSupport
import Testing

/// The manual pages that are made of the program's help and schemas.
@Suite struct ManualPageTests {
    private static let names = ["runner.1", "runner-job.5", "runner-report.5"]

    private let job: JobFolder

    init() throws {
        job = try JobFolder("")
        let pages = try Command(
            Repository.path("Scripts/man-pages"),
            [try Command.runner([]).executable, job.folder.path("man")],
            environment: ["SOURCE_DATE_EPOCH": "1700000000"]
        ).run()
        try #require(pages.status == .exit(0), "\(pages.standardError)")
    }

    /// A page as a reader sees it, in one line.
    private func text(of name: String) throws -> String {
        let shown = try Command(
            "man",
            ["--warnings", "-l", job.folder.path("man/\(name)")],
            environment: ["MANWIDTH": "120", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": nil]
        ).run()
        #expect(shown.status == .exit(0))
        #expect(shown.standardError.isEmpty, "\(shown.standardError)")
        return shown.standardOutput.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    }

    @Test(arguments: Self.names)
    func `man shows each page without a warning`(name: String) throws {
        let text = try text(of: name)
        #expect(text.contains("NAME runner"))
        #expect(text.contains("2023-11-14"))
    }

    @Test(arguments: [("job", "runner-job.5"), ("report", "runner-report.5")])
    func `each key of a schema is in its page, with its description`(
        subject: String,
        page: String
    ) throws {
        let schema = try JSONValue(job.runner(["schema", subject]).standardOutput)
        let text = try text(of: page)
        let mappings = [schema] + (schema["definitions"]?.members.map(\.value) ?? [])
        let keys = mappings.flatMap { $0["properties"]?.members ?? [] }
        #expect(keys.count > 100)
        for key in keys {
            let description = (key.value["description"]?.string ?? "").filter { $0 != "`" }
            #expect(text.contains("\(key.name) \(description)"), "\(key.name) of \(subject)")
        }
    }

    @Test func `each diagnostic code is in the page of job files`() throws {
        let text = try text(of: "runner-job.5")
        let reference = try Command(
            "cat",
            [Repository.path("docs/reference/diagnostics.md")]
        ).run().standardOutput
        // Rows of its tables, as in "| <a id="job.no-tasks"></a>`job.no-tasks` | …".
        let codes = reference.split(separator: "\n").filter { $0.hasPrefix("| <a id=") }.map {
            $0.split(separator: "`")[1]
        }
        #expect(codes.count > 80)
        for code in codes { #expect(text.contains(" \(code) "), "\(code)") }
        #expect(text.contains(" yaml.multiple-documents A second document. "))
    }

    @Test func `each command and option of the help is in the page`() throws {
        let help = try JSONValue(job.runner(["--experimental-dump-help"]).standardOutput)
        let text = try text(of: "runner.1")
        var waiting = help["command"]?["subcommands"]?.elements ?? []
        var count = 0
        while let command = waiting.popLast() {
            guard command["shouldDisplay"]?.bool != false, command["commandName"]?.string != "help"
            else { continue }
            waiting += command["subcommands"]?.elements ?? []
            count += 1
            let abstract = try #require(command["abstract"]?.string).filter { $0 != "`" }
            #expect(text.contains(abstract), "\(abstract)")
            for argument in command["arguments"]?.elements ?? []
            where argument["shouldDisplay"]?.bool != false {
                for name in argument["names"]?.elements ?? [] {
                    let dashes = name["kind"]?.string == "long" ? "--" : "-"
                    #expect(text.contains(try dashes + #require(name["name"]?.string)))
                }
            }
        }
        #expect(count > 15)
        #expect(text.contains("RUNNER_STATE_DIR"))
        #expect(!text.contains("find-proxy"))
    }
}
