import Report
import SystemKit
import Testing
import TransferModel

@Suite struct ProgressDisplayTests {
    private static let terminal = TerminalTraits(canRedraw: true, usesColor: false)
    private static let pipe = TerminalTraits(canRedraw: false, usesColor: false)

    private static func failure(_ kind: TransferFailure.Kind) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: .wait, detail: "words")
        failure.httpStatus = kind == .httpStatus ? 503 : nil
        return failure
    }

    private static func running(_ id: String) -> TaskProgress {
        var task = TaskProgress(id: id, kind: .download)
        task.countOfBytesReceived = 50
        task.countOfBytesExpected = 100
        return task
    }

    private static let summary = [
        "1 of 3 tasks succeeded, 1 failed, 1 skipped; 4.0 KiB received in 3.2 s",
        "report: out/r.json",
    ]

    @Test func `without a terminal each finished task is one line`() {
        let screen = Screen()
        let display = screen.display(.auto, Self.pipe)
        #expect(display.progressInterval == .seconds(5))
        for event in Samples.events { display.receive(event) }
        #expect(screen.lines.count == 6)
        // The time of day in the machine's time zone.
        let times = screen.lines.prefix(4).compactMap {
            $0.prefixMatch(of: #/[0-9]{2}:[0-9]{2}:00 /#)
        }
        #expect(times.count == 3)
        let lines = screen.lines.map { $0.dropFirst(9) }
        #expect(lines[0].hasPrefix("succeeded  artifact"))
        #expect(lines[1].hasPrefix("failed     refused"))
        #expect(lines[2].hasPrefix("           help: "))
        #expect(lines[3] == "skipped    skipped")
        #expect(Array(screen.lines.suffix(2)) == Self.summary)
    }

    @Test func `a retry is a line in plain progress`() {
        let failure = TransferFailure(kind: .reset, phase: .receive, detail: "lost")
        let retry = RunEvent.taskWillRetry(
            id: "a",
            attempt: 1,
            failure: failure,
            waitMicroseconds: 50_000
        )
        let plain = Screen()
        plain.display(.plain, Self.terminal).receive(retry)
        #expect(
            plain.lines[0].dropFirst(9) == "retrying   a  attempt 1: reset: lost; again in 50 ms"
        )
        let bars = Screen()
        bars.display(.bar, Self.terminal).receive(retry)
        #expect(bars.writes == 0)
    }

    @Test func `plain progress names the running tasks every 30 s, whatever else it says`() {
        let screen = Screen()
        let display = screen.display(.plain, Self.pipe)
        display.receive(.started(Samples.header))
        for second in stride(from: Int64(5), through: 65, by: 5) {
            screen.wait(seconds: 5)
            var tasks = ["a", "b", "c", "d"].map(Self.running)
            tasks[0].countOfBytesReceived = second * 1024
            display.receive(.progress(tasks))
            if second == 40 { display.receive(.taskFinished(Samples.refused)) }
        }
        #expect(screen.lines.count == 4)
        #expect(
            screen.lines[0].dropFirst(9)
                == "running    a, b, c and 1 more; 0 of 3 tasks have ended; 30.1 KiB, 1.0 KiB/s"
        )
        #expect(screen.lines[0].contains(":00:30 ") && screen.lines[3].contains(":01:00 "))
        #expect(screen.lines[1].dropFirst(9).hasPrefix("failed     refused"))
    }

    @Test func `tasks that wait between two attempts are named, too`() {
        let screen = Screen()
        let display = screen.display(.plain, Self.pipe)
        display.receive(.started(Samples.header))
        display.receive(.taskWaiting(id: "far", failure: Self.failure(.network)))
        screen.wait(seconds: 30)
        display.receive(.progress([]))
        #expect(
            screen.lines.last?.dropFirst(9)
                == "waiting    far; 0 of 3 tasks have ended; 0 B"
        )
    }

    @Test(arguments: [ProgressStyle.none, .failures, .bar])
    func `only plain progress says that the run continues`(style: ProgressStyle) {
        let screen = Screen()
        let display = screen.display(style, Self.terminal)
        #expect(display.progressInterval == (style == .bar ? .milliseconds(200) : nil))
        display.receive(.started(Samples.header))
        screen.wait(seconds: 60)
        display.receive(.progress([Self.running("a")]))
        #expect(!screen.lines.contains { $0.contains("running    a") })
    }

    @Test func `bars are replaced, failures stay above them, and the end clears them`() {
        let screen = Screen()
        let display = screen.display(.bar, Self.terminal)
        #expect(display.progressInterval == .milliseconds(200))
        display.receive(.started(Samples.header))
        display.receive(.taskStarted(Self.running("artifact")))
        display.receive(.progress([Self.running("artifact"), Self.running("refused")]))
        #expect(screen.lines.count == 3)
        #expect(screen.lines[2].hasSuffix("  0/3 tasks  100 B  2 running"))

        screen.time = MonotonicTime(nanoseconds: 1_000_000_000)
        display.receive(.taskFinished(Samples.refused))
        #expect(screen.lines[0].hasPrefix("failed     refused"))
        #expect(screen.lines[2].hasPrefix("artifact"))
        #expect(screen.lines[3].contains("  1/3 tasks  1 failed  50 B"))

        display.receive(.finished(Samples.summary))
        #expect(screen.lines.count == 4)
        #expect(Array(screen.lines.suffix(2)) == Self.summary)
    }

    @Test(arguments: [ProgressStyle.bar, .plain, .none])
    func `a program's output is a line above the progress in every style`(style: ProgressStyle) {
        let screen = Screen()
        let display = screen.display(style, Self.terminal)
        display.receive(.started(Samples.header))
        display.receive(.progress([Self.running("dump")]))
        for (text, isLast) in [("con", false), ("nected\nclos", false), ("ed\u{1B}[A", true)] {
            display.receive(.taskWrote(id: "dump", bytes: Array(text.utf8), isLast: isLast))
        }
        #expect(
            Array(screen.lines.prefix(2)).map { style == .plain ? String($0.dropFirst(9)) : $0 }
                == [
                    "stderr     dump  connected", #"stderr     dump  closed\u{1B}[A"#,
                ]
        )
        #expect(screen.lines.count == (style == .bar ? 4 : 2))
    }

    @Test func `the progress display is redrawn at most five times a second`() {
        let screen = Screen()
        let display = screen.display(.bar, Self.terminal)
        display.receive(.started(Samples.header))
        for millisecond in 0..<1000 {
            screen.time = MonotonicTime(nanoseconds: Int64(millisecond) * 1_000_000)
            display.receive(.progress([Self.running("a")]))
        }
        #expect(screen.writes == 5)
    }

    @Test func `the time left follows from the bytes when all of them are known`() {
        let screen = Screen()
        let display = screen.display(.bar, Self.terminal)
        var header = Samples.header
        header.taskCount = 1
        display.receive(.started(header))
        var task = TaskProgress(id: "a", kind: .download)
        task.countOfBytesExpected = 10_240
        for second in 0..<3 {
            screen.time = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            task.countOfBytesReceived = Int64(second) * 1024
            display.receive(.progress([task]))
        }
        #expect(screen.lines[1].hasSuffix("  0/1 tasks  2.0 KiB  1.0 KiB/s  0:08 left  1 running"))
    }

    @Test func `none writes nothing`() {
        let screen = Screen()
        let display = screen.display(.none, Self.terminal)
        for event in Samples.events { display.receive(event) }
        #expect(screen.writes == 0)
    }

    @Test func `a task that waits says for what and how long`() {
        let screen = Screen()
        let display = screen.display(.bar, Self.terminal)
        display.receive(.started(Samples.header))
        var early = Self.running("early")
        early.phase = .resolve
        display.receive(.taskStarted(Self.running("busy")))
        display.receive(
            .taskWillRetry(
                id: "busy",
                attempt: 1,
                failure: Self.failure(.httpStatus),
                waitMicroseconds: 12_000_000
            )
        )
        display.receive(.taskWaiting(id: "far", failure: Self.failure(.network)))
        display.receive(.taskWaiting(id: "tired", failure: Self.failure(.power)))
        display.receive(.progress([early]))
        let words = screen.lines.filter { !$0.contains("tasks") && !$0.hasPrefix("waiting") }
            .map { $0.split(separator: " ", maxSplits: 1)[1].drop { $0 == " " } }
        #expect(
            words == [
                "resolving", "backing off 12 s: 503", "waiting for network", "waiting for power",
            ]
        )
        screen.wait(seconds: 13)
        display.receive(.progress([early]))
        #expect(screen.lines.contains { $0.hasPrefix("busy") && $0.hasSuffix("its turn") })
        // It runs again.
        display.receive(.progress([early, Self.running("busy")]))
        screen.wait(seconds: 1)
        display.receive(.progress([early, Self.running("busy")]))
        #expect(screen.lines.contains { $0.hasPrefix("busy") && $0.contains(" 50%") })
    }

    @Test(arguments: [(200, 41), (80, 40), (40, 200), (41, 20)])
    func `a change of the width leaves nothing of the old picture`(before: Int, after: Int) {
        let screen = Screen(columns: before)
        var traits = Self.terminal
        traits.columns = 1000
        let display = screen.display(.bar, traits)
        display.receive(.started(Samples.header))
        let tasks = (0..<10).map { Self.running("a-task-with-a-long-name-\($0)") }
        display.receive(.progress(tasks))
        for width in [after, before, after] {
            screen.resize(columns: width)
            screen.wait(seconds: 1)
            display.receive(.progress(tasks))
            #expect(screen.lines.count { $0.hasPrefix("a-") } == 10)
            #expect(screen.lines.count <= 12)
            #expect(screen.lines.allSatisfy { $0.count < width })
        }
        display.receive(.finished(Samples.summary))
        #expect(screen.lines.first?.hasPrefix("1 of 3 tasks") == true)
    }

    @Test func `where the locale is not UTF-8, everything is ASCII`() {
        let screen = Screen()
        var traits = Self.terminal
        traits.isASCII = true
        traits.columns = 50
        let display = screen.display(.bar, traits)
        display.receive(.started(Samples.header))
        display.receive(
            .progress([Self.running("日本語-and-more-letters-than-fit"), Self.running("ä")])
        )
        var record = Samples.refused
        record.id = "Straße"
        display.receive(.taskFinished(record))
        #expect(screen.lines.contains { $0.hasPrefix(#"failed     Stra\u{DF}e"#) })
        #expect(screen.lines.contains { $0.contains("http://<redacted>@127.0.0.1") })
        #expect(screen.lines.contains { $0.hasPrefix(#"\u{65E5~han-fit"#) })
        #expect(screen.lines.joined().utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `the style failures says nothing of a run without failures`() {
        let screen = Screen()
        let display = screen.display(.failures, Self.pipe)
        display.receive(.started(Samples.header))
        display.receive(.taskStarted(Self.running("artifact")))
        display.receive(.taskWrote(id: "artifact", bytes: Array("noise\n".utf8), isLast: true))
        display.receive(
            .taskWillRetry(
                id: "artifact",
                attempt: 1,
                failure: Self.failure(.httpStatus),
                waitMicroseconds: 1
            )
        )
        display.receive(.taskFinished(Samples.full))
        var summary = Samples.summary
        summary.exitCode = .success
        display.receive(.finished(summary))
        #expect(screen.writes == 0)
    }

    @Test func `the style failures says what failed, with what its program said, and the totals`() {
        let screen = Screen()
        let display = screen.display(.failures, Self.pipe)
        for event in Samples.events {
            if case .taskFinished(let task) = event, task.record.id == "refused" {
                let words = Array("no disk\n".utf8)
                display.receive(.taskWrote(id: "refused", bytes: words, isLast: true))
            }
            display.receive(event)
        }
        #expect(screen.lines.count == 5)
        let lines = screen.lines.map { $0.dropFirst(9) }
        #expect(lines[0] == "stderr     refused  no disk")
        #expect(lines[1].hasPrefix("failed     refused"))
        // The skipped task has no line.
        let counts = "1 of 3 tasks succeeded, 1 failed, 1 skipped (skipped); 4.0 KiB received"
        #expect(screen.lines[3].hasPrefix(counts))
    }

    @Test func `a stopped run says what a second signal does and lists a few tasks`() {
        let screen = Screen()
        let display = screen.display(.failures, Self.pipe)
        display.receive(.started(Samples.header))
        for id in ["a", "b", "c", "d"] { display.receive(.taskStarted(Self.running(id))) }
        display.receive(
            .stopping(reason: "the run was interrupted", running: 4, advice: "they have 5 s")
        )
        for index in 0..<100 {
            var record = Samples.record("later-\(index)", 3 + index, .cancelled)
            record.error = TransferFailure(kind: .cancelled, phase: .prepare, detail: "stopped")
            display.receive(.taskFinished(record))
        }
        display.receive(.taskFinished(Samples.refused))
        display.receive(.finished(Samples.summary))
        let lines = screen.lines.map { $0.dropFirst(9) }
        #expect(
            lines[0] == "stopping   the run was interrupted; 4 tasks are still running: "
                + "a, b, c and 1 more; they have 5 s"
        )
        #expect(lines.count { $0.hasPrefix("cancelled  later-") } == 3)
        #expect(lines.contains("cancelled  97 more tasks, which the report lists"))
        #expect(lines.contains { $0.hasPrefix("failed     refused") })
    }
}
