import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineMirrorsTests {
    private static func task(
        _ id: String = "a",
        method: String = "GET",
        headers: [HeaderField] = [],
        retry: RetryPolicy = .steady
    ) -> FakeSource.Task {
        FakeSource.Task(id, "http://a.test/f").with {
            $0.kind = .download
            $0.method = method
            $0.headers = headers
            $0.retry = retry
            $0.mirrors = ["http://b.test/f", "http://c.test/f"]
        }
    }

    private func url(_ run: RunSimulation) -> String? { run.running[0]?.request.url.text }

    @Test func `a permanent failure goes to the next mirror at once`() throws {
        var run = RunSimulation([Self.task()])
        #expect(run.running[0]?.reason == .initial)
        run.refuse("a", 404)
        #expect(url(run) == "http://b.test/f")
        #expect(run.running[0]?.reason == .mirror)
        #expect(run.running[0]?.number == 2)
        run.refuse("a", 410)
        #expect(url(run) == "http://c.test/f")
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(record.attempts.map(\.reason) == ["404", "410", nil])
        #expect(record.attempts.map(\.waitedMicroseconds) == [0, 0, 0])
        #expect(record.originalRequest.url == "http://a.test/f")
    }

    @Test(arguments: [
        TransferFailure.Kind.resolve, .tls, .timeout, .reset, .truncated, .integrity, .mimeType,
        .tooLarge, .content, .redirectLimit, .protocolViolation, .signature,
    ])
    func `every failure of a server leads to a mirror`(kind: TransferFailure.Kind) {
        var run = RunSimulation([Self.task()])
        run.fail("a", kind) { $0.isPermanent = kind == .tls }
        #expect(url(run) == "http://b.test/f")
    }

    @Test(arguments: [TransferFailure.Kind.localIO, .engine])
    func `a failure of this machine requests no mirror`(kind: TransferFailure.Kind) {
        var run = RunSimulation([Self.task()])
        run.fail("a", kind)
        #expect(run.record("a")?.outcome == .failed)
    }

    @Test func `mirrors are requested beyond the attempts, and no URL twice`() throws {
        var run = RunSimulation([Self.task(retry: .none)])
        for _ in 1...3 { run.refuse("a", 503) }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed)
        #expect(record.attempts.count == 3)
        #expect(record.error?.httpStatus == 503)
    }

    @Test func `when all URLs have failed, the recoverable ones are retried after a wait`() throws {
        var run = RunSimulation([Self.task()])
        run.refuse("a", 404)
        run.fail("a", .reset)
        run.refuse("a", 404)
        #expect(run.running.isEmpty)
        #expect(run.retries.map(\.wait) == [0, 0, 4_000_000])
        run.advanceToNextTick()
        #expect(url(run) == "http://b.test/f")
        #expect(run.running[0]?.reason == .retry)
        run.finish("a")
        #expect(run.record("a")?.attempts.count == 4)
    }

    @Test func `when no URL may recover, the task fails with the last failure`() throws {
        var run = RunSimulation([Self.task()])
        for status in [404, 410, 403] { run.refuse("a", status) }
        let record = try #require(run.record("a"))
        #expect(record.error?.httpStatus == 403)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `fields of the task stay with its origin`() {
        let headers = [
            HeaderField(name: "Authorization", value: "Bearer x"),
            HeaderField(name: "X-Key", value: "y"), HeaderField(name: "Accept", value: "a/b"),
        ]
        var run = RunSimulation([Self.task(headers: headers)])
        #expect(run.running[0]?.request.headers == headers)
        run.refuse("a", 404)
        #expect(run.running[0]?.request.headers.map(\.name) == ["Accept"])
    }

    @Test func `a mirror at the same origin gets all of them`() {
        let headers = [HeaderField(name: "Authorization", value: "Bearer x")]
        var run = RunSimulation([
            Self.task(headers: headers).with { $0.mirrors = ["http://a.test/other"] }
        ])
        run.refuse("a", 404)
        #expect(run.running[0]?.request.headers == headers)
    }

    @Test func `a mirror's host has its own places and pauses`() {
        var session = SessionConfiguration(name: "s")
        session.httpMaximumConnectionsPerHost = 1
        var run = RunSimulation(
            [Self.task("a"), FakeSource.Task("b", "http://b.test/")],
            sessions: [session]
        )
        #expect(run.runningIDs == ["a", "b"])
        run.refuse("a", 404)
        #expect(run.runningIDs == ["b"])
        run.finish("b")
        #expect(url(run) == "http://b.test/f")
        run.refuse("a", 503, [HeaderField(name: "Retry-After", value: "9")])
        #expect(url(run) == "http://c.test/f")
    }

    @Test func `a request that may have been processed is not sent to a mirror`() throws {
        var run = RunSimulation([Self.task(method: "POST")])
        run.fail("a", .reset)
        let record = try #require(run.record("a"))
        #expect(record.error?.isOutcomeUnknown == true)
        #expect(record.attempts.count == 1)
    }

    @Test func `nothing is sent to a mirror when nothing is repeated`() {
        var policy = RetryPolicy.steady
        policy.repeat = .never
        var run = RunSimulation([Self.task(retry: policy)])
        run.fail("a", .reset)
        #expect(run.record("a")?.outcome == .failed)
    }

    @Test func `a stopping run requests no mirror`() {
        var run = RunSimulation([Self.task()])
        run.signal(.terminate)
        run.fail("a", .reset)
        #expect(run.record("a")?.outcome == .cancelled)
    }
}
