import Glibc
import SystemKit
import TestSupport
import Testing
import TransferModel

/// A mixed job that is killed at random moments and started again until it is done, many times
/// over.
@Suite struct CrashTests {
    private static let downloads = 12
    private static let orders = 24
    /// The calls that the file system refuses, and the number of kills; `RUNNER_TEST_KILLS` is
    /// another one.
    private static let fileSystems: [(calls: [RefusedCall], kills: Int)] = [
        ([], 25), (RefusedCall.ofNFS, 12), (RefusedCall.ofFUSE, 8),
    ]
    /// The life of a run before it is killed, milliseconds.
    private static let lives = 10...800

    /// The orders that an intake has accepted: of each, the keys under which it came.
    private final class Intake: Sendable {
        private let keys = Lock([String: Set<String>]())

        func accept(_ request: RecordedRequest) -> Reply {
            let key = request.headers["Idempotency-Key"] ?? ""
            keys.withLock { _ = $0[request.path, default: []].insert(key) }
            return .status(201)
        }

        func takeAll() -> [String: Set<String>] {
            keys.withLock { keys in
                defer { keys = [:] }
                return keys
            }
        }
    }

    private static func job(
        _ nginx: Nginx,
        _ intake: ScriptedServer,
        _ upload: (url: String, body: [UInt8])
    ) throws -> JobFolder {
        let downloads = (1...downloads).map {
            "  d\($0): { url: \(nginx.origin)/paced/\($0).bin, to: out/\($0).bin }"
        }
        // Some orders go at once, the others after their file exists.
        let orders = (1...orders).map { number in
            let needs = number % 2 == 0 ? ", needs: [d\(number / 2)]" : ""
            return
                "  o\(number): { url: \(intake.url("/o\(number)")), json: { number: \(number) }, "
                + "idempotencyKey: auto\(needs) }"
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { configuration: background, identifier: crash, httpMaximumConnectionsPerHost: 8 } }
            schedule: { maxConcurrentTasks: 8 }
            downloads:
            \(downloads.joined(separator: "\n"))
            uploads:
            \(orders.joined(separator: "\n"))
              u: { url: \(upload.url), file: body.bin, idempotencyKey: auto, priority: 1 }
            """
        )
        try job.folder.write(upload.body, to: "body.bin")
        return job
    }

    /// Runs the job for so long, then kills it; nil when it had ended before.
    private static func run(
        _ job: JobFolder,
        without calls: [RefusedCall],
        for time: Duration
    ) throws -> Command.Outcome? {
        var command = try job.runCommand(["--progress", "none"])
        if !calls.isEmpty { command = command.refusing(calls, with: "EINVAL") }
        let running = try command.start()
        if let outcome = try? running.finish(within: time) { return outcome }
        running.signal(9)
        let outcome = try running.finish()
        return outcome.status == .signal(9) ? nil : outcome
    }

    /// Whether every file under a final name is whole, and the state for the next run is readable.
    private static func check(_ job: JobFolder, _ bodies: [[UInt8]]) throws {
        for (number, body) in zip(1..., bodies) where job.folder.contains("out/\(number).bin") {
            #expect(try job.folder.read("out/\(number).bin") == body)
        }
        let status = try job.runner(["status", "--format", "json"])
        #expect(status.status == .exit(0), "\(status.standardError)")
        _ = try JSONValue(bytes: Array(status.standardOutput.utf8))
    }

    /// Whether the killed run had already reported its end.
    private static func hasReported(_ job: JobFolder) throws -> Bool {
        guard job.folder.contains("report.json") else { return false }
        let report = try JSONValue(bytes: job.folder.read("report.json"))
        #expect(try Repository.reportValidator().faults(in: report).isEmpty)
        return report["summary"]?["exitCode"]?.integer == 0
    }

    /// What is left of partial files, records and other unfinished files anywhere.
    private static func leftovers(_ job: JobFolder) throws -> String {
        try Command("find", [job.folder.path, "-name", ".*.part*"]).run().standardOutput
    }

    @Test(arguments: fileSystems)
    func `killed at random moments, everything arrives whole and once`(
        fileSystem: (calls: [RefusedCall], kills: Int)
    ) throws {
        let wanted =
            unsafe getenv("RUNNER_TEST_KILLS").flatMap { unsafe Int(String(cString: $0)) }
            ?? fileSystem.kills
        // A few kilobytes at a time: the run does not answer for bytes that are on their way when
        // it is killed.
        let nginx = try Nginx(
            locations: """
                location /paced/ { rewrite ^/paced(/.*)$ $1 break; limit_rate 400k; sendfile_max_chunk 16k; tcp_nopush off; }
                """
        )
        let intake = Intake()
        let server = try ScriptedServer { intake.accept($0) }
        let uploads = try ResumableUploadServer()
        // So slow that an upload takes several lives, too.
        let line = try RecordingRelay(to: uploads.port, pause: .milliseconds(20))
        var generator = SplitMix64.forTests()
        let bodies = (0..<Self.downloads).map { _ in
            FileContent.random((1 << 20) + 17, &generator)
        }
        let upload = FileContent.random((6 << 20) + 17, &generator)
        for (number, body) in zip(1..., bodies) {
            try nginx.root.write(body, to: "\(number).bin")
        }
        var kills = 0
        var jobs = 0
        while kills < wanted {
            let job = try Self.job(nginx, server, ("\(line.origin)/files", upload))
            var ended: Command.Outcome?
            while ended == nil {
                // The last job runs to its end after enough kills.
                let time = Int.random(in: Self.lives, using: &generator)
                ended = try Self.run(
                    job,
                    without: fileSystem.calls,
                    for: kills < wanted ? .milliseconds(time) : .seconds(600)
                )
                if ended == nil {
                    kills += 1
                    try Self.check(job, bodies)
                    if try Self.hasReported(job) { break }
                }
            }
            if let ended {
                let run = try ended.reported(in: job.folder)
                #expect(run.code == 0, "\(ended.standardError)")
                #expect(try Self.leftovers(job) == "")
            }
            jobs += 1
            for (number, body) in zip(1..., bodies) {
                #expect(try job.folder.read("out/\(number).bin") == body)
            }
            #expect(try job.folder.list("out").count == Self.downloads)
            let keys = intake.takeAll()
            #expect(keys.count == Self.orders)
            #expect(keys.values.allSatisfy { $0.count == 1 && $0 != [""] })
            let arrived = try uploads.bodies()
            #expect(arrived.count == jobs)
            #expect(arrived.last == upload)
        }
        let sent = try nginx.requests().reduce(0) { $0 + $1.responseByteCount }
        let whole = bodies.reduce(0) { $0 + $1.count } * jobs
        // A kill costs the unnoted bytes, not all that the run has brought.
        #expect(sent - whole <= kills << 20, "\(sent) of \(whole) bytes, in \(jobs) jobs")
        // Bytes that have left before a kill still pass the line.
        let uploaded = line.passages.reduce(0) { $0 + $1.sent.count }
        let spent = uploaded - upload.count * jobs
        #expect(spent <= kills << 20, "\(uploaded) bytes, in \(jobs) jobs")
    }
}
