import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// Existing files with a checksum.
@Suite struct RunMachinePresenceTests {
    private static let checksum = Checksum(.sha256, digest: Array(repeating: 7, count: 32))

    private func task(
        _ ifExists: TaskSpec.IfExists = .replace,
        checksum: TaskSpec.ExpectedChecksum = .digest(checksum)
    ) -> FakeSource.Task {
        FakeSource.Task("a", "http://a.test/a").with {
            $0.kind = .download
            $0.retry = .steady
            $0.destination = .init(
                path: "/a",
                displayPath: "a",
                ifExists: ifExists,
                checksum: checksum
            )
        }
    }

    /// A run whose file exists.
    private func run(_ ifExists: TaskSpec.IfExists = .replace) -> RunSimulation {
        var run = RunSimulation([task(ifExists)], occupied: ["a"])
        run.answerCheck(0, .file)
        return run
    }

    @Test func `a suspension defers a task whose file is hashed`() throws {
        var nightly = SessionConfiguration(name: "nightly")
        nightly.kind = .background
        nightly.identifier = "nightly.1"
        var run = RunSimulation([task()], sessions: [nightly], occupied: ["a"])
        run.answerCheck(0, .file)
        run.suspensionsChange([0])
        run.obeyCancellations()
        #expect(try #require(run.record("a")).outcome == .deferred)
    }

    @Test(arguments: [TaskSpec.IfExists.replace, .skip, .revalidate])
    func `an existing file is hashed before any request`(
        ifExists: TaskSpec.IfExists
    ) throws {
        var run = run(ifExists)
        guard case .examination(let examination)? = run.running[0]?.sink else {
            Issue.record("nothing is examined")
            return
        }
        #expect(examination.path == "/a" && examination.checksum == Self.checksum)
        run.finish("a") { $0.isUnchanged = true }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .unchanged && !record.changed && record.voucher == .checksum)
        #expect(record.attempts.isEmpty)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a file with a wrong checksum is replaced even with ifExists skip`() throws {
        var run = run(.skip)
        run.finish("a")
        let request = try #require(run.running[0])
        #expect(request.number == 1)
        guard case .file(let destination) = request.sink else {
            Issue.record("the file is not asked for")
            return
        }
        #expect(destination.ifExists == .replace)
        run.fail("a", .reset)
        run.advanceToNextTick()
        #expect(run.running[0]?.number == 2)
        #expect(run.checks.isEmpty)
        run.finish("a")
        #expect(run.record("a")?.outcome == .succeeded)
    }

    @Test func `an unreadable file that the job keeps is a failure`() throws {
        var run = run(.skip)
        run.fail("a", .localIO) { $0.osErrno = 13 }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed && record.attempts.isEmpty)
        #expect(run.summary.exitCode == .environment)
    }

    @Test func `a signal ends the examination`() throws {
        var run = run()
        run.signal(.terminate)
        run.signal(.terminate)
        #expect(run.cancelled == [0])
        run.obeyCancellations()
        let record = try #require(run.record("a"))
        #expect(record.outcome == .cancelled && record.attempts.isEmpty)
    }

    @Test func `an examination that does not end is abandoned`() throws {
        var run = run()
        run.signal(.terminate)
        run.signal(.terminate)
        run.advance(by: .seconds(1))
        let record = try #require(run.record("a"))
        #expect(record.outcome == .cancelled && record.attempts.isEmpty)
    }

    @Test(arguments: [true, false])
    func `after the first signal a hashed file matches or is not requested`(
        isRight: Bool
    ) throws {
        var run = run()
        run.signal(.terminate)
        run.finish("a") { $0.isUnchanged = isRight }
        let record = try #require(run.record("a"))
        #expect(record.outcome == (isRight ? .unchanged : .cancelled) && record.attempts.isEmpty)
        #expect(run.running.isEmpty && run.starts == ["a"])
    }

    @Test func `failFast prevents the request for a file that is being hashed`() throws {
        var run = RunSimulation(
            [task(), FakeSource.Task("b")],
            schedule: { $0.failFast = true },
            occupied: ["a"]
        )
        run.answerCheck(0, .file)
        #expect(run.runningIDs == ["a", "b"])
        run.fail("b", .tls)
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .cancelled && record.attempts.isEmpty)
        #expect(run.running.isEmpty)
    }

    @Test(arguments: [true, false])
    func `after the window's end a hashed file is not requested`(
        isNoticed: Bool
    ) throws {
        var run = RunSimulation(
            [task()],
            minuteOfDay: 299,
            schedule: { $0.window = DailyWindow(start: 60, end: 300) },
            occupied: ["a"]
        )
        run.answerCheck(0, .file)
        #expect(run.runningIDs == ["a"])
        run.minuteOfDay = 300
        if isNoticed { run.advanceToNextTick() }
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred && record.attempts.isEmpty)
        #expect(run.running.isEmpty)
    }

    @Test func `a listed file is hashed by the task that has fetched the list`() throws {
        let list = SumsFile(url: try TransferURL("http://s.test/SUMS"), algorithm: .sha256)
        var run = RunSimulation([task(checksum: .listed(list))], occupied: ["a"])
        let line = String(repeating: "07", count: 32) + "  a"
        run.finish("a") { $0.checksums = ChecksumList(Array(line.utf8)) }
        run.answerCheck(0, .file)
        guard case .examination? = run.running[0]?.sink else {
            Issue.record("nothing is examined")
            return
        }
        run.finish("a") { $0.isUnchanged = true }
        let record = try #require(run.record("a"))
        #expect(record.outcome == .unchanged && record.voucher == .checksum)
        #expect(record.attempts.map(\.outcome) == [.succeeded])
    }
}
