import TestSupport
import Testing
import TransferModel

/// `runner submit` writes texts that a cluster runs: here a shell and the tests play the cluster.
@Suite struct SubmitTests {
    private static let body = FileContent.patterned(4 << 20)
    /// A value that no shell and no YAML may change.
    private static let note = #"it's "$HOME" `id` $(id) \ ü"# + "\n; #"
    /// The number of shards.
    private static let count = 2

    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { request in
            guard request.path == "/large" else { return .ok("x") }
            let tag = "ETag: \"one\""
            if let start = request.rangeStart { return .part(of: Self.body, from: start, [tag]) }
            let head = Reply.head(200, [tag, "Content-Length: \(Self.body.count)"])
            return Reply([.send(head + Self.body.prefix(3_000_000)), .waitForPeerToLeave])
        }
        job = try JobFolder(
            """
            version: 1
            name: "Scans & orders"
            variables: { note: none }
            report: { json: out/report.json }
            downloads:
              large: { url: "\(server.url("/large"))", to: large.bin, ifExists: skip }
            uploads:
              order:
                forEach: { range: [1, 20] }
                url: "\(server.url("/order"))/${item}"
                text: "${var.note}"
                idempotencyKey: auto
            """
        )
        try job.folder.makeFolder("bin")
        try program("runner", "exec '\(job.command([]).executable)' \"$@\"")
        try program("scontrol", #"echo "scontrol $*""#)
    }

    /// Writes a program that the others find.
    private func program(_ name: String, _ script: String) throws {
        try job.folder.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)", mode: 0o755)
    }

    private func submit(
        _ cluster: String,
        _ options: [String] = [],
        file: String = "job.yaml"
    ) throws -> Command.Outcome {
        let image = cluster == "kubernetes" ? ["--image", "registry/runner:1"] : []
        let words = ["submit", cluster, file, "--shards", "\(Self.count)"]
        return try job.runner(
            words + image + options,
            environment: ["PATH": job.folder.path("bin") + ":/usr/bin:/bin"]
        )
    }

    /// The written text.
    private func text(for cluster: String) throws -> String {
        let outcome = try submit(cluster, ["--var", "note=\(Self.note)", "--time", "5"])
        #expect(outcome.status == .exit(0), "\(outcome)")
        return outcome.standardOutput
    }

    /// Array task `index` of a script as Slurm runs it; 0 merges.
    private func slurm(_ script: String, _ index: Int, restarts: Int = 0) throws -> Command {
        try job.folder.write(script, to: "job.sh")
        return Command(
            "/bin/sh",
            ["job.sh"],
            environment: [
                "PATH": job.folder.path("bin") + ":/usr/bin:/bin", "HOME": job.folder.path,
                "SLURM_ARRAY_TASK_ID": "\(index)", "SLURM_JOB_ID": "4711",
                "SLURM_RESTART_COUNT": restarts == 0 ? nil : "\(restarts)",
            ],
            workingFolder: job.folder.path
        )
    }

    /// The pod of an index of the manifest, from 1, as Kubernetes runs it; 0 merges.
    private func kubernetes(_ manifest: String, _ index: Int) throws -> Command {
        let lines = manifest.split(separator: "\n").filter { $0.contains(" args: [") }
        #expect(lines.count == 2)
        let list = String(lines[index == 0 ? 1 : 0].drop { $0 != "[" })
        // The escape of YAML 1.2 that JSON does not have.
        let words = try JSONValue(list.replacing(#"\U0000000a"#, with: #"\n"#))
        return try job.command(
            words.elements.compactMap { $0.string?.replacing("$$", with: "$") },
            environment: ["JOB_COMPLETION_INDEX": index == 0 ? nil : "\(index - 1)"]
        )
    }

    private func command(_ cluster: String, _ text: String, _ index: Int) throws -> Command {
        cluster == "slurm" ? try slurm(text, index) : try kubernetes(text, index)
    }

    // SIGUSR1 comes before Slurm's time limit, SIGTERM before an eviction, SIGKILL without notice.
    @Test(arguments: [("slurm", [10, 10]), ("kubernetes", [15, 15]), ("kubernetes", [9])])
    func `a shard that its cluster stops goes on where it was`(
        cluster: String,
        signals: [Int32]
    ) throws {
        let text = try text(for: cluster)
        let large = try (1...Self.count).first { try Shard($0, of: Self.count).has("large") } ?? 0
        let running = try command(cluster, text, large).start()
        try job.folder.wait(for: "a note of the part") {
            (try? job.folder.text(".large.bin.part.record"))?.contains(#""length""#) == true
        }
        for (place, signal) in signals.enumerated() {
            if place > 0 { _ = try running.waitForLine(containing: "stopping") }
            running.signal(signal)
        }
        let stopped = try running.finish()
        #expect(stopped.status == (signals == [9] ? .signal(9) : .exit(143)), "\(stopped)")
        let isRequeued = stopped.standardOutput.contains("scontrol requeue 4711\n")
        #expect(isRequeued == (cluster == "slurm"), "\(stopped)")

        for index in 1...Self.count {
            let outcome = try command(cluster, text, index).run()
            #expect(outcome.status == .exit(0), "\(outcome)")
        }
        let merged = try command(cluster, text, 0).run().reported(
            in: job.folder,
            as: "out/report.json"
        )
        #expect(merged.code == 0 && merged.report["summary"]?["tasks"]?.integer == 21)
        #expect(server.requests(for: "/large").compactMap(\.rangeStart).contains { $0 > 0 })
        #expect(try job.folder.read("large.bin") == Self.body)
        let orders = server.requests.filter { $0.path != "/large" }
        #expect(Set(orders.map(\.path)).count == 20)
        #expect(Set(orders.map { $0.headers["Idempotency-Key"] }).count == 20)
        #expect(orders.allSatisfy { $0.text == Self.note })
    }

    @Test func `exit codes after which a later run may succeed start a shard again`() throws {
        let again: Set = [5, 7, 10]
        try #expect(text(for: "kubernetes").contains("NotIn, values: [5, 7, 10, 137, 143] }"))
        let script = try text(for: "slurm")
        try program("runner", "exit $(cat code)")
        for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 70, 130, 143] {
            try job.folder.write("\(code)", to: "code")
            for restarts in [0, 9, 10] {
                let outcome = try slurm(script, 1, restarts: restarts).run()
                #expect(outcome.status == .exit(Int32(code)), "\(outcome)")
                let isRequeued = outcome.standardOutput.contains("scontrol requeue")
                #expect(isRequeued == (again.contains(code) && restarts < 10), "\(code)")
            }
        }
    }

    @Test func `a cluster gets the text that would be written, and the merge waits`() throws {
        let programs = ["slurm": "sbatch", "kubernetes": "kubectl"]
        for (cluster, name) in programs {
            try program(name, #"echo "$*" >>words; cat >"text-$#"; echo "4711;north""#)
            let outcome = try submit(cluster, ["--now"])
            let written = try submit(cluster).standardOutput
            if cluster == "slurm" {
                #expect(outcome.standardOutput == "shards 4711\nmerge 4711\n", "\(outcome)")
                let words = "--parsable\n--parsable --dependency=afterany:4711 --array=0\n"
                #expect(try job.folder.text("words") == words)
                #expect(try job.folder.text("text-1") == written)
            } else {
                #expect(outcome.standardOutput == "4711;north\n", "\(outcome)")
                #expect(try job.folder.text("words") == "create -f -\n")
            }
            #expect(try job.folder.text("text-3") == written)
            try job.folder.write("", to: "words")

            try program(name, "echo no such queue >&2; exit 1")
            let refused = try submit(cluster, ["--now"])
            #expect(refused.status == .exit(4))
            #expect(refused.standardError.contains("\(name) rejected the job: no such queue"))
        }
    }

    @Test(arguments: [
        ("report: { json: out/report.json }", "", "slurm", 2, "the job names no report"),
        ("out/report.json", "../report.json", "kubernetes", 2, "the job's report is not in it"),
        (
            "version: 1",
            "version: 1\nsessions: { s: { configuration: background, identifier: i } }", "slurm", 2,
            "background"
        ),
        ("out/report.json", "\"${run.id}.json\"", "slurm", 2, "another name in each run"),
        ("text:", "txt:", "slurm", 3, "`text`"),
    ])
    func `a job that a cluster could not run is refused`(
        old: String,
        new: String,
        cluster: String,
        code: Int32,
        message: String
    ) throws {
        let text = try job.folder.text("job.yaml").replacing(old, with: new)
        try job.folder.write(text, to: "other.yaml")
        let outcome = try submit(cluster, file: "other.yaml")
        #expect(outcome.status == .exit(code) && outcome.standardOutput.isEmpty, "\(outcome)")
        #expect(outcome.standardError.contains(message), "\(outcome)")
    }

    @Test(arguments: ["/shared/state", "../state"])
    func `pods cannot have a state folder outside of the folder that they mount`(
        folder: String
    ) throws {
        let outcome = try submit("kubernetes", ["--state-dir", folder])
        #expect(outcome.status == .exit(2) && outcome.standardOutput.isEmpty, "\(outcome)")
        #expect(outcome.standardError.contains("the state folder is not in it"), "\(outcome)")
    }

    @Test(arguments: [
        ("slurm", [], "slurm/shards.sh"),
        ("kubernetes", ["--image", "registry.example.com/runner:1.0"], "kubernetes/shards.yaml"),
    ])
    func `the texts beside the jobs are what the command writes, and the manual shows them`(
        cluster: String,
        options: [String],
        file: String
    ) throws {
        let outcome = try Command.runner(
            ["submit", cluster, "jobs/shards.yaml", "--shards", "16"] + options,
            workingFolder: Repository.path("")
        ).run()
        let text = try Command("cat", [Repository.path("jobs/\(file)")]).run().standardOutput
        #expect(outcome.standardOutput == text, "\(outcome)")
        let manual = try Command("cat", [Repository.path("docs/how-to/shards.md")]).run()
        #expect(manual.standardOutput.contains("\n\(text)```\n"))
    }
}
