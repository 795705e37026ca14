import TestSupport
import Testing
import TransferModel

/// Names that a stranger chose do not act on the terminal or on the service that shows a log.
@Suite struct PrintedNameTests {
    private static let name = "x\n::error file=a,line=1::pwned ##[command]b \u{1B}[31m\u{202E}.yaml"

    /// Fails when a text has something that would be obeyed.
    private static func expectHarmless(
        _ text: String,
        of arguments: [String],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let harmful = text.unicodeScalars.filter {
            $0 != "\n" && ($0.value < 32 || $0 == "\u{202E}")
        }
        #expect(harmful.isEmpty, "\(arguments)", sourceLocation: sourceLocation)
        #expect(!text.contains("##["), "\(arguments)", sourceLocation: sourceLocation)
        let lines = text.split(separator: "\n")
        #expect(
            !lines.contains { $0.hasPrefix("::error file=a,") },
            "\(text)",
            sourceLocation: sourceLocation
        )
    }

    @Test(arguments: [
        "version: 1\ndata: { a: { url: \"https://h/\" } }\n",
        "version: 1\ndata: { a: { url: \"x ##[group]\" } }\n", "::error file=a,line=1::pwned\n",
        nil,
    ])
    func `the name of a file is harmless wherever it is printed`(content: String?) throws {
        let job = try JobFolder("")
        if let content { try job.folder.write(content, to: Self.name) }
        for arguments in [
            ["validate", Self.name], ["validate", Self.name, "--format", "json"],
            ["validate", Self.name, "--format", "github"],
            ["validate", Self.name, "--format", "sarif"], ["plan", Self.name],
            ["plan", Self.name, "--format", "json"], ["interfaces", Self.name],
            ["run", Self.name, "--only", "::error file=a,::\n::error file=a,"],
            ["run", Self.name, "--report", Self.name + "/r"], [Self.name],
            ["run", "--\(Self.name)"],
            ["status", Self.name], ["cancel", Self.name, "--state-dir", Self.name],
            ["cache", "stat", "--directory", Self.name], ["cache", "ls", "--directory", Self.name],
            ["cache", "verify", "--directory", Self.name],
        ] {
            if arguments[0] == "run", content?.contains("https") == true { continue }
            let outcome = try job.runner(arguments)
            Self.expectHarmless(outcome.standardError + outcome.standardOutput, of: arguments)
        }
    }

    @Test func `a server's text cannot act as a command of a CI log`() throws {
        let server = try ScriptedServer { _ in
            .status(400, ["Content-Type: text/plain"], text: "::error file=a,::x\n##[command]y")
        }
        let job = try JobFolder(
            "version: 1\ndata: { a: { url: \(server.url("/")), retry: { attempts: 1 } } }\n"
        )
        let run = try job.run("--progress", "plain")
        #expect(run.command.standardError.contains(#"##[command]"#) == false)
        #expect(run.command.standardError.contains(#"#\u{23}[command]y"#))
    }

    @Test func `no output shows the user information of a Location`() throws {
        let server = try ScriptedServer { request in
            .redirect(
                to: request.path == "/space"
                    ? "//usr:p w-hunter2@h.invalid/" : "//usr:hunter2@h.invalid/"
            )
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            data:
              a: { url: \(server.url("/a")), redirects: { follow: sameOrigin } }
              b: { url: \(server.url("/b")) }
              space: { url: \(server.url("/space")) }
            """
        )
        let run = try job.run("--progress", "plain")
        #expect(run.code != 0)
        #expect(!run.command.standardError.contains("hunter2"))
        let report = try job.folder.text("report.json")
        #expect(!report.contains("hunter2") && report.contains("//‹redacted›@h.invalid/"))
    }

    @Test func `controls in the name of a background session are escaped`() throws {
        let job = try JobFolder("version: 1\n")
        let outcome = try job.runner(["status", "a\u{1B}[31m"])
        #expect(outcome.standardError.contains(#"session `a\u{1B}[31m` in"#))
    }

    @Test func `bytes of an id that are no UTF-8 are escaped`() throws {
        let job = try JobFolder("version: 1\ndata: { a: { url: \"https://h/\" } }\n")
        // How the text that stands for the byte 0xFF is passed on: as bytes that no UTF-8 has.
        let outcome = try job.runner(["plan", "job.yaml", "--only", "a\u{10FFFF}"])
        #expect(outcome.standardError.contains(#"there is no task `a\xF4\x8F\xBF\xBF`"#))
    }
}
