import Glibc
import SystemKit
import TestSupport
import Testing

/// Disks that are full, read-only, of another user, or gone.
@Suite struct StorageFaultTests {
    /// How many files the jobs here have.
    private static let count = 10
    /// Ten of them are more than the file system here has left, and less than it has.
    private static let body = FileContent.patterned(600 << 10)

    /// A job of `count` files into the folder `out`, which exists.
    private func job(_ server: ScriptedServer, durability: String = "none") throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 2, durability: \(durability) }
            defaults: { retry: { attempts: 2, backoff: { initial: 1ms } } }
            downloads:
              file: { forEach: { range: [1, \(Self.count)] }, url: "\(server.origin)/${item}", to: "out/${item}.bin" }
            """
        )
        try job.folder.makeFolder("out")
        return job
    }

    /// Runs a job by a shell script with namespaces of its own, which takes no privilege.
    ///
    /// In the script `$runner` stands for the command.
    private func run(
        _ job: JobFolder,
        _ options: [String],
        _ script: String
    ) throws -> Command.Outcome {
        var command = try job.runCommand(["--progress", "none"])
        command.arguments =
            ["--user"] + options
            + ["sh", "-c", "runner=\"$*\"; \(script)", "sh", command.executable]
            + command.arguments
        command.executable = "unshare"
        return try withExtendedLifetime(job) { try command.run() }
    }

    /// The numbers of the tasks that succeeded, as the names of their files.
    private func succeeded(_ run: RunOutcome) -> [String] {
        (1...Self.count).filter { run.outcome("file[\($0)]") == "succeeded" }.map { "\($0).bin" }
    }

    @Test(arguments: [true, false], ["none", "full"])
    func `on a full disk finished files stay, and the rest follows with room`(
        hasLength: Bool,
        durability: String
    ) throws {
        let server = try ScriptedServer { _ in
            hasLength ? .ok(Self.body) : .chunked([Self.body])
        }
        let job = try job(server, durability: durability)
        let outcome = try run(
            job,
            ["--map-root-user", "--mount"],
            """
            mount -t tmpfs -o size=8m tmpfs out || exit 99
            head -c 4194304 /dev/zero >out/filler
            $runner; echo "code $?"
            cp report.json full.json
            rm out/filler
            cksum out/*.bin
            ls -A out | sed 's/^/name /'
            $runner; echo "code $?"
            cksum out/*.bin
            ls -A out | sed 's/^/last /'
            """
        )
        let lines = outcome.standardOutput.split(separator: "\n").map(String.init)
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(lines.filter { $0.hasPrefix("code ") } == ["code 4", "code 0"])

        var full = outcome
        full.status = .exit(4)
        let run = try full.reported(in: job.folder, as: "full.json")
        let finished = succeeded(run)
        #expect((1..<Self.count).contains(finished.count), "\(finished)")
        for number in 1...Self.count where !finished.contains("\(number).bin") {
            #expect(run.kind("file[\(number)]") == "localIO")
            // A disk that is full is so for the next attempt, too.
            #expect(run.attempts("file[\(number)]").count == 1)
        }
        let names = lines.filter { $0.hasPrefix("name ") }.map { String($0.dropFirst(5)) }
        #expect(names == finished.sorted())
        let all = (1...Self.count).map { "\($0).bin" }
        let last = lines.filter { $0.hasPrefix("last ") }.map { String($0.dropFirst(5)) }
        #expect(last == all.sorted())
        // The sum of each file that had a name at either time.
        let sums = lines.filter { $0.hasSuffix(".bin") && $0.contains(" \(Self.body.count) ") }
        #expect(sums.count == finished.count + Self.count)
        #expect(Set(sums.map { $0.split(separator: " ")[0] }).count == 1)
    }

    /// The largest file in blocks of 512 bytes, and the file that exceeds it.
    @Test(arguments: [(8, "out/a.bin"), (1, "report.json")])
    func `a file that is larger than the process may write is the fault of the environment`(
        blocks: Int,
        name: String
    ) throws {
        let server = try ScriptedServer { _ in .ok(Array(repeating: 7, count: 5000)) }
        let job = try JobFolder(
            """
            version: 1
            data: { a: { url: "\(server.url("/"))" } }
            """
        )
        if name != "report.json" {
            try job.folder.write(
                "version: 1\ndownloads: { a: { url: \"\(server.url("/"))\", to: \(name) } }\n",
                to: "job.yaml"
            )
        }
        let command = try job.runCommand().limitedToFileSize(ofBlocks: blocks)
        let outcome = try withExtendedLifetime(job) { try command.run() }
        #expect(outcome.status == .exit(4), "\(outcome.standardError)")
        #expect(
            outcome.standardError.contains("\(name): the file would be larger than"),
            "\(outcome.standardError)"
        )
        #expect(!job.folder.contains(name))
    }

    @Test(arguments: [true, false])
    func `with a used-up quota finished files stay, and the rest follows without it`(
        hasLength: Bool
    ) throws {
        let server = try ScriptedServer { _ in
            hasLength ? .ok(Self.body) : .chunked([Self.body])
        }
        let job = try job(server)
        try withExtendedLifetime(QuotaFolder(at: job.folder.path("out"), limit: "4M")) { quota in
            try useUp(quota, job)
        }
        #expect(try job.folder.list("out") == [])
    }

    private func useUp(_ quota: QuotaFolder, _ job: JobFolder) throws {
        let run = try job.run()
        #expect(run.code == 4, "\(run.command.standardError)")
        let finished = succeeded(run)
        #expect((1..<Self.count).contains(finished.count), "\(finished)")
        for number in 1...Self.count where !finished.contains("\(number).bin") {
            let error = try #require(run.task("file[\(number)]")?["error"])
            #expect(error["kind"]?.string == "localIO")
            #expect(error["osErrno"]?.integer == Int64(EDQUOT))
            #expect(run.attempts("file[\(number)]").count == 1)
        }
        #expect(try job.folder.list("out").sorted() == finished.sorted())
        for name in finished { #expect(try job.folder.read("out/\(name)") == Self.body) }
        try quota.lift()
        #expect(try job.run().code == 0)
        for number in 1...Self.count {
            #expect(try job.folder.read("out/\(number).bin") == Self.body)
        }
    }

    @Test(arguments: [
        (
            ["--map-root-user", "--mount"], "mount -t tmpfs -o ro tmpfs out",
            "Read-only file system"
        ),
        // Without the powers that root has in its own namespace, even when root runs the tests.
        ([], "chmod 500 out", "Permission denied"),
        ([], "rmdir out && ln -s nowhere out", "No such file or directory"),
        ([], "rmdir out && echo >out", "Not a directory"),
    ])
    func `a folder that cannot be written is the fault of the environment`(
        options: [String],
        change: String,
        message: String
    ) throws {
        let server = try ScriptedServer { _ in .ok(Self.body) }
        let job = try job(server)
        let outcome = try run(job, options, "\(change) || exit 99; exec $runner")
        let run = try outcome.reported(in: job.folder)
        #expect(run.code == 4, "\(outcome.standardError)")
        for number in 1...Self.count {
            #expect(run.kind("file[\(number)]") == "localIO")
            let text = run.task("file[\(number)]")?["error"]?["message"]?.string ?? ""
            #expect(text.contains(message), "\(text)")
        }
    }

    @Test func `the hook runs for a background session that cannot be journalled`() throws {
        let server = try ScriptedServer { _ in .status(201) }
        let job = try JobFolder(
            """
            version: 1
            hooks: { onFinish: [sh, -c, "echo $RUNNER_HOOK_EXIT_CODE >>told"] }
            sessions: { s: { configuration: background, identifier: nightly } }
            uploads:
              order: { forEach: { range: [1, 600] }, url: "\(server.origin)/${item}", text: a, idempotencyKey: "k-${item}" }
            """
        )
        let outcome = try run(
            job,
            ["--map-root-user", "--mount"],
            "mkdir -p .local/state && mount -t tmpfs -o size=64k tmpfs .local/state || exit 99; exec $runner"
        )
        #expect(outcome.status == .exit(4), "\(outcome.standardError)")
        #expect(try job.folder.text("told") == "4\n")
    }

    @Test func `a folder that vanishes during a transfer is a fault of the environment`() throws {
        let rest = try Gate()
        let body = [UInt8](repeating: 7, count: 4 << 20)
        let server = try ScriptedServer { _ in
            let head = Reply.head(200, ["ETag: \"one\"", "Content-Length: \(body.count)"])
            return Reply([
                .send(head + body.prefix(3_000_000)), .wait(rest),
                .send(Array(body.dropFirst(3_000_000))),
            ])
        }
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/"))", to: out/a.bin, retry: { attempts: 1 } } }
            """
        )
        let running = try job.runCommand().start()
        try job.folder.waitForSize(of: "out/.a.bin.part", 3_000_000)
        let removal = Command("rm", ["-rf", job.folder.path("out")])
        #expect(try removal.run().status == .exit(0))
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 4)
        #expect(run.kind("a") == "localIO")
        #expect(!job.folder.contains("out"))
    }
}
