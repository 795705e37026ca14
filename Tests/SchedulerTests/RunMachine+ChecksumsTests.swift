import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineChecksumsTests {
    private static func tasks(
        _ ids: [String] = ["a", "b", "c"],
        retry: RetryPolicy = .steady
    ) throws -> [FakeSource.Task] {
        let list = SumsFile(url: try TransferURL("http://s.test/SUMS"), algorithm: .sha256)
        return ids.map { id in
            FakeSource.Task(id, "http://a.test/\(id)").with {
                $0.kind = .download
                $0.retry = retry
                $0.headers = [
                    HeaderField(name: "Authorization", value: "x"),
                    HeaderField(name: "Accept", value: "a/b"),
                    HeaderField(name: "User-Agent", value: "y"),
                ]
                $0.destination = .init(path: "/\(id)", displayPath: id, checksum: .listed(list))
            }
        }
    }

    private func answer(_ run: inout RunSimulation, _ id: String) {
        let exchange = TransactionMetrics(
            attempt: 1,
            reason: .checksums,
            request: .init(method: "GET", url: "http://s.test/SUMS", headers: HeaderFields()),
            fetchStartDate: Timestamp(microseconds: 0)
        )
        run.finish(id) {
            $0.checksums = ChecksumList([])
            $0.transactions = [exchange]
            $0.redirectCount = 2
            $0.countOfBytesReceived = 100
        }
    }

    @Test func `a list is fetched once and shared`() throws {
        var run = RunSimulation(try Self.tasks())
        #expect(run.runningIDs == ["a"])
        let fetch = try #require(run.running[0])
        #expect(fetch.request.url.text == "http://s.test/SUMS")
        #expect(fetch.sink == .checksums)
        #expect(fetch.reason == .checksums)
        #expect(fetch.request.headers.map(\.name) == ["User-Agent"])
        #expect(fetch.expectation.maximumSize == ChecksumList.largestSize)
        answer(&run, "a")
        #expect(run.runningIDs == ["a", "b", "c"])
        #expect(run.running.values.allSatisfy { $0.checksums != nil })
        #expect(run.running[0]?.request.url.text == "http://a.test/a")
        #expect(run.running[0]?.number == 1)
        for id in ["a", "b", "c"] { run.finish(id) }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(record.attempts.map(\.number) == [1])
        #expect(record.transactions.map(\.reason) == [.checksums])
        #expect(record.redirectCount == 2)
        #expect(record.countOfBytesReceived == 0)
        #expect(run.record("b")?.transactions.isEmpty == true)
        #expect(run.summary.succeeded == 3)
    }

    @Test func `a task with fewer permitted interfaces fetches the list separately`() throws {
        var tasks = try Self.tasks(["a", "b", "c"])
        tasks[0].access.remove(.cellular)
        var run = RunSimulation(tasks)
        #expect(run.runningIDs == ["a", "b"])
        run.fail("a", .network) { $0.isKnownUnprocessed = true }
        answer(&run, "b")
        #expect(run.record("a")?.outcome == .deferred)
        for id in ["b", "c"] {
            run.finish(id)
            #expect(run.record(id)?.outcome == .succeeded)
        }
    }

    @Test func `a failed fetch is repeated as its task says`() throws {
        var run = RunSimulation(try Self.tasks())
        run.refuse("a", 503)
        #expect(run.running.isEmpty)
        run.advanceToNextTick()
        #expect(run.running[0]?.sink == .checksums)
        #expect(run.running[0]?.number == 2)
        answer(&run, "a")
        #expect(run.runningIDs == ["a", "b", "c"])
        run.fail("a", .reset)
        run.advanceToNextTick()
        #expect(run.running[0]?.number == 3)
        #expect(run.running[0]?.checksums != nil)
        run.finish("a")
        #expect(run.record("a")?.attempts.map(\.reason) == ["503", "reset", nil])
    }

    @Test func `a list that cannot be had fails all that need it, later ones too`() throws {
        var tasks = try Self.tasks(["a", "b", "c", "d"])
        tasks[3].needs = [4]
        tasks.append(FakeSource.Task("e", "http://e.test/"))
        var run = RunSimulation(tasks)
        #expect(run.runningIDs == ["a", "e"])
        run.refuse("a", 404)
        for id in ["a", "b", "c"] {
            let record = try #require(run.record(id))
            #expect(record.outcome == .failed)
            #expect(record.error?.httpStatus == 404)
            #expect(
                record.error?.detail
                    == "the checksum list http://s.test/SUMS cannot be fetched: status 404"
            )
            #expect(record.error?.decidingKey == ["checksum", "from"])
        }
        #expect(run.record("a")?.attempts.count == 1)
        #expect(run.record("b")?.attempts.isEmpty == true)
        run.finish("e")
        #expect(run.record("d")?.outcome == .failed)
        #expect(run.summary.tasks == 5)
    }

    @Test(arguments: [true, false])
    func `when a list's fetch times out, each waiting task has one record`(
        failFast: Bool
    ) throws {
        var policy = RetryPolicy.steady
        policy.budget = .seconds(10)
        var tasks = try Self.tasks(["a", "b", "c"], retry: policy)
        tasks.append(FakeSource.Task("x", "http://a.test/x").with { $0.isRequired = false })
        var run = RunSimulation(tasks) { $0.failFast = failFast }
        run.refuse("a", 503, [HeaderField(name: "Retry-After", value: "5")])
        run.refuse("x", 429, [HeaderField(name: "Retry-After", value: "60")])
        run.advance(by: .seconds(5))
        run.advance(by: .seconds(5))
        #expect(run.machine.isFinished)
        #expect(run.records.map(\.id).sorted() == ["a", "b", "c", "x"])
        #expect(run.record("a")?.outcome == .failed)
        #expect(run.record("b")?.outcome == (failFast ? .cancelled : .failed))
    }

    @Test func `a failed fetch asks no mirror of the file`() throws {
        var tasks = try Self.tasks(["a"])
        tasks[0].mirrors = ["http://b.test/a"]
        var run = RunSimulation(tasks)
        run.refuse("a", 404)
        #expect(run.record("a")?.outcome == .failed)
    }

    @Test func `sessions fetch for themselves`() throws {
        var tasks = try Self.tasks(["a", "b"])
        tasks[1].session = 1
        let sessions = ["one", "two"].map { SessionConfiguration(name: $0) }
        let run = RunSimulation(tasks, sessions: sessions)
        #expect(run.running.values.map(\.sink) == [.checksums, .checksums])
    }

    @Test func `a stopping run lets attempts finish and cancels waiting tasks`() throws {
        var run = RunSimulation(try Self.tasks(["a", "b"]))
        run.signal(.terminate)
        #expect(run.record("b")?.outcome == .cancelled)
        answer(&run, "a")
        #expect(run.running[0]?.request.url.text == "http://a.test/a")
        run.finish("a")
        #expect(run.record("a")?.outcome == .succeeded)
    }

    @Test func `a list that comes after everything was cancelled starts nothing`() throws {
        var run = RunSimulation(try Self.tasks(["a"]))
        run.signal(.terminate)
        run.signal(.terminate)
        #expect(run.cancelled == [0])
        answer(&run, "a")
        #expect(run.record("a")?.outcome == .cancelled)
        #expect(run.machine.isFinished)
    }

    @Test func `a task that waited longer than its budget still gets its first attempt`() throws {
        var policy = RetryPolicy.steady
        policy.budget = .seconds(10)
        var run = RunSimulation(try Self.tasks(["a", "b"], retry: policy))
        run.advance(by: .seconds(20))
        answer(&run, "a")
        #expect(run.runningIDs == ["a", "b"])
        run.finish("b")
        #expect(run.record("b")?.outcome == .succeeded)
    }

    @Test func `a task that waits for a list gives its place up`() throws {
        var tasks = try Self.tasks(["a", "b"])
        tasks.append(FakeSource.Task("e", "http://e.test/"))
        let run = RunSimulation(tasks) { $0.maxConcurrentTasks = 2 }
        #expect(run.runningIDs == ["a", "e"])
    }
}
