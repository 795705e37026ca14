import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// A run over random tasks with random ends, watched at every step.
private struct RandomRun {
    private var generator: SplitMix64
    private let tasks: [FakeSource.Task]
    private let sessions: [SessionConfiguration]
    private let limit: Int
    private let isInterrupted: Bool
    private var simulation: RunSimulation
    private var successes: Set<String> = []
    private var seen = 0

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let count = Int.random(in: 1...60, using: &generator)
        let density = Double.random(in: 0...0.1, using: &generator)
        tasks = (0..<count).map { index in
            let host = Int.random(in: 0..<4, using: &generator)
            var task = FakeSource.Task("t\(index)", "http://h\(host).test/")
            task.session = Int.random(in: 0..<2, using: &generator)
            // Needs may lie before and behind a task; a shuffled order keeps cycles out.
            task.needs = (0..<count).filter { need in
                (need &* 7919) % 61 < (index &* 7919) % 61
                    && Double.random(in: 0..<1, using: &generator) < density
            }
            task.priority = [0, 0.5, 1].randomElement(using: &generator) ?? 0.5
            task.isRequired = Bool.random(using: &generator)
            task.retry = Bool.random(using: &generator) ? .steady : .none
            task.mirrors = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                "http://h\(Int.random(in: 0..<4, using: &generator)).test/mirror"
            }
            let list = Int.random(in: 0..<4, using: &generator)
            if let url = try? TransferURL("http://sums.test/\(list)"), list < 2 {
                task.destination = TaskSpec.Destination(
                    path: "/t\(index)",
                    displayPath: "t\(index)",
                    checksum: .listed(SumsFile(url: url, algorithm: .sha256))
                )
            }
            return task
        }
        sessions = (0..<2).map { index in
            var session = SessionConfiguration(name: "s\(index)")
            session.httpMaximumConnectionsPerHost = Int.random(in: 1...3, using: &generator)
            return session
        }
        let limit = Int.random(in: 1...8, using: &generator)
        self.limit = limit
        isInterrupted = Int.random(in: 0..<4, using: &generator) == 0
        let failFast = Int.random(in: 0..<4, using: &generator) == 0
        let tokens = Int.random(in: 0...50, using: &generator)
        simulation = RunSimulation(tasks, sessions: sessions, retryTokens: tokens) { schedule in
            schedule.maxConcurrentTasks = limit
            schedule.failFast = failFast
        }
        self.generator = generator
    }

    mutating func play() {
        var steps = 0
        while !simulation.machine.isFinished, steps < 10_000 {
            steps += 1
            checkLimits()
            if isInterrupted, steps == tasks.count / 2 { simulation.signal(.interrupt) }
            if let id = simulation.runningIDs.randomElement(using: &generator) {
                end(id)
            } else {
                simulation.advanceToNextTick()
            }
            for record in simulation.records[seen...]
            where record.outcome == .succeeded {
                successes.insert(record.id)
            }
            seen = simulation.records.count
        }
        checkRecords()
    }

    private mutating func end(_ id: String) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: simulation.refuse(id, 404)
        case 1: simulation.refuse(id, 503)
        case 2: simulation.refuse(id, 429, [HeaderField(name: "Retry-After", value: "9")])
        case 3: simulation.fail(id, .reset)
        case 4: simulation.fail(id, .localIO)
        default:
            let request = simulation.running.values.first { "t\($0.key)" == id }
            let isList = request?.sink == .checksums
            simulation.finish(id) { $0.checksums = isList ? ChecksumList([]) : nil }
        }
    }

    private func checkLimits() {
        #expect(simulation.running.count <= limit)
        var lanes: [HostLanes.Lane: Int] = [:]
        for (index, request) in simulation.running {
            let origin = request.request.url.origin
            #expect(tasks[index].needs.allSatisfy { successes.contains("t\($0)") })
            // A list is fetched in the place of the file that needs it.
            if request.sink == .checksums { continue }
            lanes[HostLanes.Lane(session: request.session, origin: origin), default: 0] += 1
        }
        for (lane, count) in lanes {
            #expect(count <= sessions[lane.session].httpMaximumConnectionsPerHost)
        }
    }

    private func checkRecords() {
        #expect(simulation.machine.isFinished)
        #expect(simulation.machine.running == 0)
        #expect(simulation.machine.active.isEmpty)
        #expect(simulation.records.map(\.id).sorted() == tasks.map(\.id).sorted())
        for record in simulation.records where record.outcome == .skipped {
            let needs = tasks[record.taskIdentifier - 1].needs
            #expect(needs.contains { !successes.contains("t\($0)") })
        }
        let stopped = simulation.machine.stopReason != nil
        for record in simulation.records where record.outcome == .cancelled {
            #expect(stopped)
        }
        let summary = simulation.summary
        #expect(summary.tasks == tasks.count)
        #expect(
            summary.succeeded + summary.failed + summary.cancelled + summary.skipped == tasks.count
        )
    }
}

@Suite struct RandomRunTests {
    @Test(arguments: 0..<8)
    func `after any events each task has one record and no limit is exceeded`(block: UInt64) {
        for seed in block * 40..<(block + 1) * 40 {
            var run = RandomRun(seed: seed)
            run.play()
        }
    }
}
