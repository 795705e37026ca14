import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// A run of 1,000 tasks whose failures, clock steps and cancellations all come from one seed.
private struct SeededRun {
    private static let taskCount = 1000

    private var generator: SplitMix64
    private var simulation: RunSimulation
    private var seenStarts = 0
    private var seenRecords = 0
    /// Counts of events, so that a test can tell that the run was eventful.
    private(set) var clockSteps = 0
    private(set) var networkChanges = 0
    /// Each start, record and summary as text, in order.
    private(set) var trace = ""

    var records: [TaskRecord] { simulation.records }
    var isFinished: Bool { simulation.machine.isFinished }

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let start = RunSimulation.clock.timestamp(of: MonotonicTime(nanoseconds: 0))
        let tasks = (0..<Self.taskCount).map { index in
            let host = Int.random(in: 0..<20, using: &generator)
            var task = FakeSource.Task("t\(index)", "http://h\(host).test/\(index)")
            task.session = Int.random(in: 0..<2, using: &generator)
            task.priority = [0, 0.5, 1].randomElement(using: &generator) ?? 0.5
            task.isRequired = Bool.random(using: &generator)
            task.retry = Int.random(in: 0..<4, using: &generator) == 0 ? .none : .steady
            if index > 0, Int.random(in: 0..<5, using: &generator) == 0 {
                task.needs = [Int.random(in: 0..<index, using: &generator)]
            }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                let seconds = Int64.random(in: 1...900, using: &generator)
                let date = start.microseconds(since: Timestamp(microseconds: 0))
                task.earliestBeginDate = .date(
                    Timestamp(microseconds: date + seconds * 1_000_000)
                )
            case 1:
                let seconds = Int64.random(in: 1...900, using: &generator)
                task.earliestBeginDate = .delay(.seconds(seconds))
            case 2: task.mirrors = ["http://mirror.test/\(index)"]
            default: break
            }
            return task
        }
        let sessions = (0..<2).map { index in
            var session = SessionConfiguration(name: "s\(index)")
            session.waitsForConnectivity = index == 0
            return session
        }
        simulation = RunSimulation(tasks, sessions: sessions, retryTokens: 500)
        self.generator = generator
    }

    /// Plays the run to its end, or until `count` tasks have ended; a signal cancels the rest after
    /// three quarters of the tasks.
    mutating func play(until count: Int = taskCount + 1) {
        var steps = 0
        while !isFinished, records.count < count, steps < 100_000 {
            steps += 1
            simulation.dice = Double.random(in: 0..<1, using: &generator)
            if records.count >= Self.taskCount * 3 / 4, simulation.machine.stopReason == nil {
                simulation.signal(.terminate)
            } else {
                playOne()
            }
            note()
        }
        if isFinished { trace += "\(simulation.summary)\n" }
    }

    private mutating func playOne() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0:
            clockSteps += 1
            let seconds = Int64.random(in: -3600...3600, using: &generator)
            simulation.stepWallClock(by: .seconds(seconds))
            simulation.settle()
        case 1:
            networkChanges += 1
            simulation.networkChanges()
        case 2..<10:
            let milliseconds = Int64.random(in: 1...2000, using: &generator)
            simulation.advance(by: .milliseconds(milliseconds))
        default:
            if let id = simulation.runningIDs.randomElement(using: &generator) {
                end(id)
            } else {
                simulation.advanceToNextTick()
            }
        }
        // Half of the cancelled attempts end on request; the run abandons the others.
        if simulation.machine.phase == .cancelling {
            for id in simulation.runningIDs where Bool.random(using: &generator) {
                simulation.fail(id, .cancelled)
            }
        }
    }

    private mutating func end(_ id: String) {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: simulation.refuse(id, 404)
        case 1: simulation.refuse(id, 503)
        case 2: simulation.refuse(id, 429, [HeaderField(name: "Retry-After", value: "9")])
        case 3: simulation.fail(id, .reset)
        case 4: simulation.fail(id, .network) { $0.isKnownUnprocessed = true }
        default: simulation.finish(id)
        }
    }

    /// Adds the events since the last call.
    private mutating func note() {
        for id in simulation.starts[seenStarts...] {
            trace += "\(simulation.now.nanoseconds) start \(id)\n"
        }
        for record in records[seenRecords...] {
            trace += "\(simulation.now.nanoseconds) \(record)\n"
        }
        (seenStarts, seenRecords) = (simulation.starts.count, records.count)
    }
}

@Suite struct SeededRunTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a seed repeats a run of 1,000 failing and cancelled tasks byte for byte`(seed: UInt64) {
        var first = SeededRun(seed: seed)
        first.play()
        var second = SeededRun(seed: seed)
        second.play()
        #expect(first.isFinished)
        #expect(Array(first.trace.utf8) == Array(second.trace.utf8))
        #expect(first.records.count == 1000)
        #expect(Set(first.records.map(\.id)).count == 1000)
        let outcomes = Set(first.records.map(\.outcome))
        #expect(outcomes.isSuperset(of: [.succeeded, .failed, .skipped, .cancelled]))
        #expect(first.records.contains { $0.attempts.count > 1 })
        #expect(first.clockSteps > 0 && first.networkChanges > 0)
    }

    @Test func `two seeds give different runs`() {
        var first = SeededRun(seed: 1)
        first.play()
        var second = SeededRun(seed: 2)
        second.play()
        #expect(first.trace != second.trace)
    }

    @Test func `a copy of a run takes the same course and leaves the run alone`() {
        var run = SeededRun(seed: 1)
        run.play(until: 400)
        var copy = run
        run.play()
        copy.play()
        #expect(run.isFinished && copy.isFinished)
        #expect(Array(copy.trace.utf8) == Array(run.trace.utf8))
    }
}
