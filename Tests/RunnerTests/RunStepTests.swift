import Scheduler
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

@testable import runner

/// The steps of a run that need neither a job file nor a server.
@Suite struct RunStepTests {
    @Test(arguments: [1, 16, 100, 1000])
    func `the open files for some tasks allow exactly those tasks`(tasks: Int) {
        let files = OpenFileLimit.openFiles(for: tasks)
        #expect(OpenFileLimit.concurrentTasks(withOpenFiles: files) == tasks)
        #expect(OpenFileLimit.concurrentTasks(withOpenFiles: files - 1) == tasks - 1)
    }

    @Test func `each segment of a concurrent task needs an open file`() {
        #expect(OpenFileLimit.openFiles(for: 12) == 88)
        #expect(OpenFileLimit.openFiles(for: 12, connections: 64) == 844)
    }

    @Test
    func `a signal that arrived before the run begins is an obstacle, other messages are none`()
        throws
    {
        let inbox = Inbox<Scheduler.Message>()
        inbox.push(.networkChanged)
        try inbox.obeySignal()
        _ = inbox.pass(.interrupt)
        let obstacle = #expect(throws: RunObstacle.self) { try inbox.obeySignal() }
        guard case .signal(.interrupt)? = obstacle?.reason else {
            Issue.record("the obstacle is not the signal: \(String(describing: obstacle))")
            return
        }
    }

    @Test func `a window that excludes the present minute is an obstacle`() throws {
        let minute = LocalTime.minuteOfDay
        var schedule = ScheduleConfiguration()
        // Two minutes apart, so that a test that runs over a full minute has the same answer.
        schedule.window = DailyWindow(start: (minute + 720) % 1440, end: (minute + 722) % 1440)
        let obstacle = #expect(throws: RunObstacle.self) {
            try RunStart(of: schedule).requireWindow(of: schedule)
        }
        #expect(obstacle?.message?.hasPrefix("outside the window ") == true)
        schedule.window = DailyWindow(start: (minute + 722) % 1440, end: (minute + 720) % 1440)
        try RunStart(of: schedule).requireWindow(of: schedule)
    }

    @Test func `jitter is drawn below its limit, and without one there is none`() {
        #expect(RunStart(of: ScheduleConfiguration()).jitter == .zero)
        var schedule = ScheduleConfiguration()
        schedule.startJitter = .milliseconds(5)
        for _ in 0..<100 {
            let jitter = RunStart(of: schedule).jitter
            #expect(jitter >= .zero && jitter < .milliseconds(5))
        }
    }

    @Test
    func `a fault of the environment is an obstacle with the same message for people and report`() {
        let obstacle = RunObstacle("the disk is full")
        guard case .environment(let reason) = obstacle.reason else {
            Issue.record("not a fault of the environment")
            return
        }
        #expect(reason == "the disk is full")
        #expect(obstacle.message == reason)
    }
}
