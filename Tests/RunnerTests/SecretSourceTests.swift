import TestSupport
import Testing
import TransferModel

/// The sources of secrets, and the effects of a missing value.
@Suite struct SecretSourceTests {
    /// A job that sends one secret, and the server that it goes to.
    private struct SecretJob {
        let server: ScriptedServer
        let job: JobFolder

        init(_ source: String) throws {
            server = try ScriptedServer(["/": [.ok("x")]])
            job = try JobFolder(
                """
                version: 1
                secrets:
                  it: { \(source) }
                  unused: { env: NOT_SET }
                  other: { command: [touch, was-run] }
                data:
                  sent: { url: \(server.url("/")), headers: { X-It: "${secret.it}" } }
                  elsewhere: { url: \(server.url("/")), headers: { X-It: "${secret.other}" } }
                """
            )
        }

        /// Runs the one task.
        func run(_ environment: [String: String?] = [:]) throws -> Command.Outcome {
            try job.runCommand(["--only", "sent"], environment: environment).run()
        }
    }

    @Test(arguments: [
        ("value", "value"), ("value\n", "value"), ("value\r\n", "value"), ("a b\tc", "a b\tc"),
        ("größe", "größe"),
    ])
    func `a file gives its text without one line end`(content: String, value: String) throws {
        let secret = try SecretJob("file: keys/it")
        try secret.job.folder.makeFolder("keys")
        try secret.job.folder.write(content, to: "keys/it", mode: 0o400)
        let outcome = try secret.run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let sent = secret.server.requests.first?.headers["X-It"]
        #expect(sent?.unicodeScalars.map(\.value) == value.utf8.map { UInt32($0) })
        // The run did not read the other secrets.
        #expect(!secret.job.folder.contains("was-run"))
    }

    @Test func `a command runs in the job file's folder, with its arguments as they are`() throws {
        let secret = try SecretJob(#"command: [./give, "a b", "$HOME"]"#)
        try secret.job.folder.write(
            "#!/bin/sh\necho \"$1-$2-$(basename \"$PWD\")-$(cat)-$EXTRA\"\n",
            to: "give",
            mode: 0o700
        )
        let outcome = try secret.run(["EXTRA": "more"])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let name = secret.job.folder.path.split(separator: "/").last ?? ""
        #expect(secret.server.requests.first?.headers["X-It"] == "a b-$HOME-\(name)--more")
    }

    @Test func `an environment variable gives its text`() throws {
        let secret = try SecretJob("env: IT")
        #expect(try secret.run(["IT": "value"]).status == .exit(0))
        #expect(secret.server.requests.first?.headers["X-It"] == "value")
    }

    @Test(arguments: [
        ("env: IT", "the environment variable `IT` is not set"),
        ("env: EMPTY", "is empty"),
        ("env: SHORT", "shorter than 4 bytes"),
        ("file: missing", "No such file"),
        ("file: .", "Is a directory"),
        ("file: open", "other users may read or change it"),
        ("file: group", "other users may read or change it"),
        ("file: large", "larger than 64 KiB"),
        ("file: binary", "not UTF-8"),
        ("file: empty", "is empty"),
        ("file: lines", "is not valid in a header: a line break"),
        ("command: [\"false\"]", "ended with status 1"),
        ("command: [no-such-program]", "cannot start no-such-program"),
        ("command: [sh, -c, kill -9 $$]", "was ended by signal 9"),
        ("command: [\"yes\"]", "wrote more than 64 KiB"),
        ("command: [sleep, \"1000\"], timeout: 50ms", "did not end in time"),
        ("command: [\"true\"]", "is empty"),
    ])
    func `a missing value of a secret ends the run before any request`(
        source: String,
        reason: String
    ) throws {
        let secret = try SecretJob(source)
        let folder = secret.job.folder
        try folder.write("s3cr3t", to: "open", mode: 0o644)
        try folder.write("s3cr3t", to: "group", mode: 0o620)
        try folder.write([UInt8](repeating: 97, count: 70_000), to: "large", mode: 0o600)
        try folder.write([UInt8]([0xFF, 0xFE, 0x41, 0x42]), to: "binary", mode: 0o600)
        try folder.write("\n", to: "empty", mode: 0o600)
        try folder.write("s3cr3t\nX-Evil: 1\n", to: "lines", mode: 0o600)
        let outcome = try secret.run(["EMPTY": "", "SHORT": "abc", "IT": nil])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains(reason), "\(outcome.standardError)")
        #expect(outcome.standardError.contains("job.yaml:3:3: error: the secret `it` "))
        #expect(outcome.standardError.contains("[job.missing-secret]"))
        #expect(!outcome.standardError.contains("s3cr3t"))
        #expect(secret.server.requests.isEmpty)
        let run = try outcome.reported(in: folder)
        #expect(run.outcome("sent") == "skipped")
        #expect(run.kind("sent") == "cancelled")
        let message = try #require(run.task("sent")?["error"]?["message"]?.string)
        #expect(message.hasPrefix("the run did not begin: the secret `it` "))
        #expect(message.contains(reason))
        #expect(try !folder.text("report.json").contains("s3cr3t"))
    }

    @Test func `a failed command's output is shown without its own secret`() throws {
        let secret = try SecretJob(
            #"command: [sh, -c, "cat value; echo login: $(cat value) refused >&2; exit 3"]"#
        )
        try secret.job.folder.write("hunter2\n", to: "value")
        let outcome = try secret.run()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("ended with status 3"))
        #expect(outcome.standardError.contains("the command wrote: login: ‹redacted› refused"))
        #expect(!outcome.standardError.contains("hunter2"))
    }

    @Test func `a failed command's output is shown without any secret of the job`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let words = [
            "first-cmd", "env-needed", "env-unused", "from-file", "later-cmd", "half-value",
        ]
        let job = try JobFolder(
            """
            version: 1
            secrets:
              fails: { command: [sh, -c, "echo said \(words.joined(separator: " ")) >&2; exit 3"] }
              half: { command: [sh, -c, "printf half-value; exit 4"] }
              needed: { env: NEEDED }
              unused: { env: UNUSED }
              file: { file: value }
              later: { command: [sh, -c, "printf 'later-%s' cmd"] }
              first: { command: [sh, -c, "printf 'first-%s' cmd"] }
            data:
              sent:
                url: \(server.url("/"))
                headers:
                  X-It: "${secret.fails} ${secret.half} ${secret.needed} ${secret.file} ${secret.later} ${secret.first}"
              elsewhere: { url: \(server.url("/")), headers: { X-It: "${secret.unused}" } }
            """
        )
        try job.folder.write("from-file\n", to: "value", mode: 0o600)
        let outcome = try job.runCommand(
            ["--only", "sent"],
            environment: ["NEEDED": "env-needed", "UNUSED": "env-unused"]
        ).run()
        #expect(outcome.status == .exit(4))
        let marks = Array(repeating: "‹redacted›", count: words.count).joined(separator: " ")
        #expect(
            outcome.standardError.contains("the command wrote: said \(marks)"),
            "\(outcome.standardError)"
        )
        // In the order of the file.
        let places = outcome.standardError.split(separator: "\n").filter { $0.contains(": error:") }
        #expect(places.map { $0.prefix(10) } == ["job.yaml:3", "job.yaml:4"])
    }

    @Test
    func `a declared secret of the environment is redacted though no task of the run uses it`()
        throws
    {
        let server = try ScriptedServer { _ in
            .status(400, ["Content-Type: text/plain"], text: "no: env-unused")
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { unused: { env: UNUSED }, missing: { env: MISSING } }
            data:
              sent: { url: \(server.url("/")) }
            """
        )
        let run = try job.run("--progress", "plain", environment: ["UNUSED": "env-unused"])
        #expect(run.code == 1)
        for text in [try job.folder.text("report.json"), run.command.standardError] {
            #expect(text.contains("no: ‹redacted›") && !text.contains("env-unused"))
        }
    }

    @Test(arguments: [(2 as Int32, 130 as Int32), (15, 143)])
    func `a signal ends a command that is waited for`(signal: Int32, code: Int32) throws {
        let secret = try SecretJob(
            "command: [sh, -c, \"echo > ready; exec sleep 1000\"], timeout: 1h"
        )
        #expect(try Command("mkfifo", [secret.job.folder.path("ready")]).run().status == .exit(0))
        let running = try secret.job.runCommand(["--only", "sent"]).start()
        // Ends when the command has written to it.
        #expect(try Command("cat", [secret.job.folder.path("ready")]).run().status == .exit(0))
        running.signal(signal)
        let run = try running.finish().reported(in: secret.job.folder)
        #expect(run.code == code)
        #expect(run.outcome("sent") == "cancelled")
        #expect(secret.server.requests.isEmpty)
    }

    @Test(arguments: ["validate", "plan"])
    func `validate and plan need no values of secrets`(command: String) throws {
        let secret = try SecretJob("command: [touch, was-run-too]")
        let outcome = try secret.job.runner([command, "job.yaml"])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(
            !secret.job.folder.contains("was-run") && !secret.job.folder.contains("was-run-too")
        )
        if command == "plan" {
            #expect(outcome.standardOutput.contains("secrets: it, other\n"))
            #expect(outcome.standardOutput.contains("${secret.it}"))
        }
    }
}
