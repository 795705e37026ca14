import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineEndingTests {
    @Test func `a failed task is tried again after its backoff`() throws {
        var run = RunSimulation([.init("a").with { $0.retry = .steady }])
        run.fail("a", .reset)
        #expect(run.running.isEmpty)
        #expect(run.retries.map(\.wait) == [1_000_000])
        run.advance(by: .milliseconds(999))
        #expect(run.running.isEmpty)
        run.advanceToNextTick()
        let request = try #require(run.running[0])
        #expect(request.number == 2)
        #expect(request.requiresFreshConnection)
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(record.attempts.map(\.number) == [1, 2])
        #expect(record.attempts.map(\.outcome) == [.failed, .succeeded])
        #expect(record.attempts.map(\.reason) == ["reset", nil])
        #expect(record.attempts.map(\.waitedMicroseconds) == [0, 1_000_000])
        #expect(record.attempts.map(\.waitReason) == [nil, .backoff])
        #expect(record.error == nil)
    }

    @Test func `a task whose attempts are used up fails with the last failure`() throws {
        var run = RunSimulation([.init("a").with { $0.retry = .steady }])
        for _ in 1...4 {
            run.refuse("a", 503)
            run.advanceToNextTick()
        }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed)
        #expect(record.isRetryable)
        #expect(record.error?.httpStatus == 503)
        #expect(record.attempts.map(\.reason) == ["503", "503", "503", "503"])
        #expect(run.summary.exitCode == .temporary)
        #expect(run.summary.attempts == 4)
    }

    @Test func `a busy response pauses its origin for all tasks, and no other origin`() throws {
        var run = RunSimulation(
            [
                .init("a1").with { $0.retry = .steady }, .init("a2"), .init("a3"),
                .init("b1", "http://b.test/"), .init("b2", "http://b.test/"),
            ],
            sessions: [
                {
                    var session = SessionConfiguration(name: "s")
                    session.httpMaximumConnectionsPerHost = 1
                    return session
                }()
            ]
        )
        #expect(run.runningIDs == ["a1", "b1"])
        run.refuse("a1", 429, [HeaderField(name: "Retry-After", value: "20")])
        #expect(run.runningIDs == ["b1"])
        run.finish("b1")
        #expect(run.runningIDs == ["b2"])
        run.advance(by: .seconds(19))
        #expect(run.runningIDs == ["b2"])
        run.advance(by: .seconds(1))
        #expect(run.runningIDs == ["a1", "b2"])
        run.finish("a1")
        #expect(run.runningIDs == ["a2", "b2"])
        let record = try #require(run.record("a1"))
        #expect(record.attempts.last?.waitReason == .retryAfter)
        #expect(record.attempts.last?.waitedMicroseconds == 20_000_000)
    }

    @Test func `a retry keeps waiting while its origin is paused for another task`() throws {
        var run = RunSimulation([
            .init("a").with { $0.retry = .steady }, .init("b").with { $0.retry = .steady },
        ])
        run.fail("a", .reset)
        run.refuse("b", 503, [HeaderField(name: "Retry-After", value: "10")])
        run.advance(by: .seconds(1))
        #expect(run.running.isEmpty)
        run.advance(by: .seconds(9))
        #expect(run.runningIDs == ["a", "b"])
        run.finish("a")
        let attempt = try #require(run.record("a")?.attempts.last)
        #expect(attempt.waitReason == .originPaused)
        #expect(attempt.waitedMicroseconds == 10_000_000)
    }

    @Test func `the reported wait is that for the paused origin if it is longer`() {
        var run = RunSimulation([
            .init("a").with { $0.retry = .steady }, .init("b").with { $0.retry = .steady },
        ])
        run.refuse("b", 503, [HeaderField(name: "Retry-After", value: "10")])
        run.fail("a", .reset)
        #expect(run.retries.map(\.id) == ["b", "a"])
        #expect(run.retries.map(\.wait) == [10_000_000, 10_000_000])
    }

    @Test func `a task whose time runs out while its origin is paused fails then`() throws {
        var session = SessionConfiguration(name: "default")
        session.timeoutIntervalForResource = .seconds(5)
        var run = RunSimulation(
            [.init("a").with { $0.retry = .steady }, .init("b").with { $0.retry = .steady }],
            sessions: [session]
        )
        run.fail("a", .reset)
        run.refuse("b", 503, [HeaderField(name: "Retry-After", value: "60")])
        #expect(
            run.record("b")?.error?.detail.hasSuffix("no time is left for another attempt") == true
        )
        run.advance(by: .seconds(1))
        run.advance(by: .seconds(4))
        #expect(run.record("a")?.error?.kind == .reset)
        #expect(
            run.record("a")?.error?.detail.hasSuffix("no time is left for another attempt") == true
        )
        #expect(run.machine.isFinished)
    }

    @Test
    func `a wait beyond the maximum fails the task, and others wait for a backoff only`() {
        var run = RunSimulation(
            [.init("a").with { $0.retry = .steady }, .init("b")],
            schedule: { $0.maxConcurrentTasks = 1 }
        )
        run.refuse("a", 503, [HeaderField(name: "Retry-After", value: "86400")])
        #expect(run.record("a")?.error?.detail.contains("86400 s") == true)
        #expect(run.running.isEmpty)
        run.advance(by: .seconds(1))
        #expect(run.runningIDs == ["b"])
    }

    @Test func `a pause applies to the origin that answered, not the requested one`() {
        var run = RunSimulation(
            [
                .init("a").with { $0.retry = .steady }, .init("a2"),
                .init("b", "http://b.test/"),
            ],
            schedule: { $0.maxConcurrentTasks = 1 }
        )
        run.finish("a") { result in
            result.currentRequest.url = "http://b.test/elsewhere"
            result.response = ResponseHead(statusCode: 503)
            var failure = TransferFailure(kind: .httpStatus, phase: .wait, detail: "")
            failure.httpStatus = 503
            result.failure = failure
        }
        #expect(run.runningIDs == ["a2"])
        run.finish("a2")
        #expect(run.running.isEmpty)
    }

    @Test func `the run's retry budget ends retries everywhere`() {
        var run = RunSimulation(
            [.init("a").with { $0.retry = .steady }, .init("b").with { $0.retry = .steady }],
            retryTokens: 1
        )
        run.fail("a", .reset)
        run.fail("b", .reset)
        #expect(run.retries.map(\.id) == ["a"])
        #expect(run.record("b")?.error?.detail.contains("retry budget of the whole run") == true)
    }

    @Test func `a dependent of an optional task takes its exit code`() throws {
        var run = RunSimulation([
            .init("a").with { $0.isRequired = false }, .init("b").with { $0.needs = [0] },
        ])
        run.fail("a", .integrity)
        #expect(run.record("b")?.error?.detail == "the task needs `a`, which failed (integrity)")
        #expect(run.summary.exitCode == .integrity)
    }

    @Test func `under fail-fast dependents are skipped, the rest is cancelled`() {
        var run = RunSimulation(
            [
                .init("a"), .init("b").with { $0.needs = [0] }, .init("c"),
                .init("d").with { $0.needs = [2] },
            ],
            schedule: {
                $0.failFast = true
                $0.maxConcurrentTasks = 1
            }
        )
        run.fail("a", .content)
        #expect(run.record("b")?.error?.detail == "the task needs `a`, which failed (content)")
        #expect(["c", "d"].allSatisfy { run.record($0)?.outcome == .cancelled })
        #expect(
            run.record("d")?.error?.detail == "a required task failed and `failFast` is set"
        )
    }

    @Test func `a failed need skips all dependents`() throws {
        var run = RunSimulation([
            .init("a"), .init("b").with { $0.needs = [0] }, .init("c").with { $0.needs = [1] },
            .init("d"), .init("e").with { $0.needs = [0, 3] },
        ])
        run.fail("a", .connect)
        run.finish("d")
        #expect(run.machine.isFinished)
        #expect(run.records.map(\.id) == ["a", "b", "e", "c", "d"])
        let skipped = try ["b", "c", "e"].map { try #require(run.record($0)) }
        #expect(skipped.allSatisfy { $0.outcome == .skipped && $0.attempts.isEmpty })
        #expect(
            skipped.map(\.error?.detail) == [
                "the task needs `a`, which failed (connect)",
                "the task needs `b`, which was skipped because `a` failed (connect)",
                "the task needs `a`, which failed (connect)",
            ]
        )
        #expect(skipped[0].originalRequest.url == "http://a.test/")
        #expect(skipped[0].response == nil && skipped[0].file == nil)
        // A later run may avoid both the failure and its consequences.
        #expect(run.summary.exitCode == .temporary)
    }

    @Test func `an optional task does not fail the run, but its dependents may`() {
        var alone = RunSimulation([.init("a").with { $0.isRequired = false }])
        alone.refuse("a", 404)
        #expect(alone.summary.exitCode == .success)
        #expect(alone.summary.failed == 1)

        var needed = RunSimulation([
            .init("a").with { $0.isRequired = false }, .init("b").with { $0.needs = [0] },
        ])
        needed.refuse("a", 404)
        #expect(needed.summary.exitCode == .taskFailed)
    }

    @Test func `the worst of several failures decides the exit code`() {
        var run = RunSimulation([.init("a"), .init("b"), .init("c")])
        run.fail("a", .connect)
        #expect(run.summary.exitCode == .temporary)
        run.refuse("b", 404)
        #expect(run.summary.exitCode == .taskFailed)
        run.fail("c", .integrity)
        #expect(run.summary.exitCode == .integrity)
    }

    private func download(_ ifExists: TaskSpec.IfExists) -> FakeSource.Task {
        FakeSource.Task("a").with {
            $0.kind = .download
            $0.destination = TaskSpec.Destination(
                path: "/out/a",
                displayPath: "out/a",
                ifExists: ifExists
            )
        }
    }

    @Test
    func `a skipped existing file is unchanged and frees its dependents`()
        throws
    {
        var run = RunSimulation([download(.skip), .init("b").with { $0.needs = [0] }])
        #expect(run.checks == [0: "/out/a"])
        #expect(run.running.isEmpty)
        run.answerCheck(0, .file)
        let record = try #require(run.record("a"))
        #expect(record.outcome == .unchanged)
        #expect(!record.changed && record.attempts.isEmpty && record.error == nil)
        #expect(run.runningIDs == ["b"])
        run.finish("b")
        #expect(run.summary.unchanged == 1)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a destination that is no file fails the download`() throws {
        let folder = SystemError(errno: 21, operation: "write", subject: "/out/a")
        for occupant in [PathOccupant.danglingLink, .other(folder)] {
            var run = RunSimulation([download(.skip)])
            run.answerCheck(0, occupant)
            #expect(run.record("a")?.outcome == .failed)
            let error = try #require(run.record("a")?.error)
            #expect(error.kind == .localIO && error.isPermanent)
            #expect(error.detail == occupant.fault(at: "/out/a")?.message)
            #expect(run.summary.exitCode == .environment)
        }
    }

    @Test func `a download whose file has appeared meanwhile is unchanged`() throws {
        var run = RunSimulation([download(.skip)])
        run.answerCheck(0, .nothing)
        run.finish("a") { $0.isUnchanged = true }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .unchanged && !record.changed && record.attempts.count == 1)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a download with ifExists fail and a file fails without an attempt`() throws {
        var run = RunSimulation([download(.fail)])
        run.answerCheck(0, .file)
        let error = try #require(run.record("a")?.error)
        #expect(error.kind == .localIO && error.isPermanent)
        #expect(run.summary.exitCode == .taskFailed)
        #expect(run.starts.isEmpty)
    }

    @Test(arguments: [TaskSpec.IfExists.skip, .fail])
    func `a download without an existing file starts`(ifExists: TaskSpec.IfExists) {
        var run = RunSimulation([download(ifExists)])
        run.answerCheck(0, .nothing)
        #expect(run.runningIDs == ["a"])
    }

    @Test func `a record has the sums of all attempts and the checks of the last`() throws {
        var run = RunSimulation([.init("a").with { $0.retry = .steady }])
        let request = TransactionMetrics.SentRequest(
            method: "GET",
            url: "http://a.test/",
            headers: HeaderFields()
        )
        for number in 1...2 {
            run.finish("a") { result in
                let start = Timestamp(microseconds: Int64(number))
                result.transactions = [
                    TransactionMetrics(
                        attempt: number,
                        reason: number == 1 ? .initial : .retry,
                        request: request,
                        fetchStartDate: start
                    )
                ]
                result.redirectCount = 2
                result.countOfBytesSent = 3
                result.countOfBytesReceived = 5
                result.checks = [TaskRecord.Check(.statusCode, passed: number == 2)]
                if number == 1 {
                    result.failure = TransferFailure(kind: .reset, phase: .receive, detail: "")
                }
            }
            run.advanceToNextTick()
        }
        let record = try #require(run.record("a"))
        #expect(record.transactions.map(\.attempt) == [1, 2])
        #expect(record.redirectCount == 4)
        #expect(record.countOfBytesSent == 6)
        #expect(record.countOfBytesReceived == 10)
        #expect(record.checks == [TaskRecord.Check(.statusCode, passed: true)])
        #expect(run.summary.redirects == 4)
        #expect(run.summary.countOfBytesReceived == 10)
        #expect(record.startDate < record.endDate)
    }

    @Test(arguments: [("GET", false, false), ("GET", true, true), ("POST", false, true)])
    func `a success counts as changed after a written file or an unsafe method`(
        method: String,
        writesFile: Bool,
        isChanged: Bool
    ) throws {
        var run = RunSimulation([.init("a").with { $0.method = method }])
        run.finish("a") { result in
            result.file = writesFile ? PublishedFile(path: "out/a", size: 1) : nil
        }
        #expect(try #require(run.record("a")).changed == isChanged)
    }

    @Test func `broken framing is tried once more`() {
        var run = RunSimulation([.init("a").with { $0.retry = .steady }])
        for _ in 1...2 {
            run.fail("a", .protocolViolation)
            run.advanceToNextTick()
        }
        #expect(run.record("a")?.attempts.count == 2)
    }

    @Test func `a second result of a task is ignored`() {
        var run = RunSimulation([.init("a")])
        run.finish("a")
        run.finish("a")
        #expect(run.records.count == 1)
    }
}
