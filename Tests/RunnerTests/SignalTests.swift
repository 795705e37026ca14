import TestSupport
import Testing

@Suite struct SignalTests {
    /// SIGINT and SIGTERM, each with the exit code of the documented table.
    static let signals: [(Int32, Int32)] = [(2, 130), (15, 143)]

    /// Ten downloads that take minutes and a short one, at nginx.
    private func throttledJob(_ nginx: Nginx) throws -> JobFolder {
        try nginx.root.write([UInt8](repeating: 7, count: 16 << 20), to: "large.bin")
        try nginx.root.write("small", to: "small.txt")
        let large = (0..<10).map {
            "  d\($0): { url: \(nginx.origin)/slow/large.bin, to: out/\($0) }"
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { nginx: { httpMaximumConnectionsPerHost: 16 } }
            downloads:
            \(large.joined(separator: "\n"))
              small: { url: \(nginx.origin)/small.txt, to: out/small.txt, priority: low }
            """
        )
        try job.folder.makeFolder("out")
        return job
    }

    @Test(arguments: signals)
    func `two signals amid ten downloads leave a valid report and no half file`(
        signal: Int32,
        code: Int32
    ) throws {
        let nginx = try Nginx()
        let job = try throttledJob(nginx)
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "small")
        running.signal(signal)
        // Two signals of a kind that are both on their way arrive as one.
        _ = try running.waitForLine(containing: "stopping")
        running.signal(signal)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == code, "\(run.command.standardError)")
        // Files that the next run resumes have hidden names.
        #expect(try job.folder.list("out").filter { !$0.hasPrefix(".") } == ["small.txt"])
        #expect(run.outcome("small") == "succeeded")
        for number in 0..<10 {
            #expect(run.outcome("d\(number)") == "cancelled")
            #expect(run.kind("d\(number)") == "cancelled")
        }
    }

    @Test(arguments: signals)
    func `one signal lets running tasks end and starts no more`(
        signal: Int32,
        code: Int32
    ) throws {
        let begun = try Gate()
        let rest = try Gate()
        let body = Array("the whole body".utf8)
        let server = try ScriptedServer([
            "/first": [
                .cut(
                    body,
                    after: 3,
                    then: [.open(begun), .wait(rest), .send(Array(body.dropFirst(3)))]
                )
            ],
            "/second": [.ok("second")],
        ])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              first: { url: \(server.url("/first")), to: first.bin }
              second: { url: \(server.url("/second")), to: second.bin }
            schedule: { maxConcurrentTasks: 1 }
            """
        )
        let running = try job.runCommand().start()
        try begun.wait()
        running.signal(signal)
        _ = try running.waitForLine(containing: "stopping")
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == code, "\(run.command.standardError)")
        #expect(run.outcome("first") == "succeeded")
        #expect(run.outcome("second") == "cancelled")
        #expect(server.requests(for: "/second").isEmpty)
        #expect(try job.folder.text("first.bin") == "the whole body")
        #expect(!job.folder.contains("second.bin"))
    }

    @Test func `a run ends although its standard error is not read`() throws {
        let arrived = try Gate()
        let server = try ScriptedServer { request in
            request.target == "/last"
                ? Reply([.open(arrived), .waitForPeerToLeave])
                : .status(404, text: String(repeating: "n", count: 300))
        }
        // More lines than a pipe of 64 KiB holds.
        let lost = (0..<500).map { "  t\($0): { url: \(server.url("/none")) }" }
        let job = try JobFolder(
            """
            version: 1
            data:
            \(lost.joined(separator: "\n"))
              last: { url: \(server.url("/last")), priority: low }
            schedule: { maxConcurrentTasks: 1 }
            """
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(15)
        running.signal(2)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143 || run.code == 130)
        #expect(run.outcome("last") == "cancelled")
        #expect(run.outcome("t499") == "failed")
    }

    @Test(arguments: signals)
    func `a run stopped during its last task reports the reason`(
        signal: Int32,
        code: Int32
    ) throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            Reply([.open(arrived), .wait(rest)]) + Reply.status(200).steps
        }
        let job = try JobFolder("version: 1\ndata:\n  a: { url: \(server.url("/")) }\n")
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(signal)
        _ = try running.waitForLine(containing: "stopping")
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == code)
        #expect(run.outcome("a") == "succeeded")
        #expect(
            run.command.standardError.contains("exit code \(code): a signal stopped the run")
        )
    }

    @Test func `a signal ends the wait between two attempts`() throws {
        let server = try ScriptedServer(["/": [.unavailable(retryAfter: "60")]])
        let job = try JobFolder(
            "version: 1\ndata:\n  a: { url: \(server.url("/")), retry: { attempts: 3 } }\n"
        )
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "again in")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(run.outcome("a") == "cancelled")
        #expect(server.requests.count == 1)
    }

    @Test func `a search by a pattern does not hold up the second signal`() throws {
        // A search that takes its five seconds: it begins anew at each place.
        let begun = try Gate()
        let body = String(repeating: "x", count: 4 << 20)
        let server = try ScriptedServer([
            "/": [.ok(body)], "/next": [Reply([.open(begun), .waitForPeerToLeave])],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              slow: { url: \(server.url("/")), capture: { it: { regex: "x+[ab]" } } }
              next: { url: \(server.url("/next")), priority: low }
            """
        )
        let running = try job.runCommand().start()
        try begun.wait()
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(2)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(run.outcome("next") == "cancelled")
        #expect(run.outcome("slow") == "cancelled", "\(run.command.standardError)")
    }

    @Test func `an order that two signals stop in flight may have arrived`() throws {
        let arrived = try Gate()
        let server = try ScriptedServer(["/": [Reply([.open(arrived), .waitForPeerToLeave])]])
        let job = try JobFolder(
            "version: 1\nuploads:\n  order: { url: \(server.url("/")), json: { items: [1] } }\n"
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(run.outcome("order") == "cancelled")
        let error = try #require(run.task("order")?["error"])
        #expect(error["message"]?.string?.contains("outcome unknown") == true)
        #expect(error["retryable"]?.bool == false)
        #expect(error["phase"]?.string == "wait")
    }

    @Test func `kill -9 leaves the older files and nothing half`() throws {
        let begun = try Gate()
        let body = [UInt8](repeating: 1, count: 1 << 20)
        let server = try ScriptedServer([
            "/": [.cut(body, after: 1 << 19, then: [.open(begun), .waitForPeerToLeave])]
        ])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/")), to: a.bin }\n"
        )
        try job.folder.write("older", to: "a.bin")
        let running = try job.runCommand().start()
        try begun.wait()
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        #expect(try job.folder.text("a.bin") == "older")
        #expect(!job.folder.contains("report.json"))
    }

    @Test func `a stopped process does not count its own pause as a server's silence`()
        throws
    {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            let head = Reply.head(200, ["Content-Length: 10"])
            return Reply([
                .send(head + Array("first".utf8)), .open(arrived), .wait(rest),
                .send(Array("other".utf8)),
            ])
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { timeoutIntervalForRequest: 1s } }
            downloads: { a: { url: \(server.url("/")), to: a, retry: { attempts: 1 } } }
            """
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        // SIGSTOP and SIGCONT, with more than the idle time between them.
        running.signal(19)
        rest.open()
        #expect(throws: GuardTimeout.self) { try Gate().wait(for: .milliseconds(1500)) }
        running.signal(18)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("a") == "firstother")
    }
}
