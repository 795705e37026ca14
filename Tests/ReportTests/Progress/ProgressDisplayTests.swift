import Report
import SystemKit
import Testing
import TransferModel

@Suite struct ProgressDisplayTests {
    /// A screen that understands the display's sequences: line feeds, going up and clearing.
    private final class Screen {
        var lines: [String] = [""]
        var writes = 0
        var time = MonotonicTime(nanoseconds: 0)

        func write(_ bytes: [UInt8]) {
            writes += 1
            var rest = Substring(String(decoding: bytes, as: UTF8.self))
            while let first = rest.first {
                if let match = rest.prefixMatch(of: #/\u{1B}\[(\d+)F\u{1B}\[J/#) {
                    lines.removeLast((Int(match.1) ?? 0) + 1)
                    lines.append("")
                    rest = rest[match.range.upperBound...]
                } else {
                    if first == "\n" {
                        lines.append("")
                    } else {
                        lines[lines.count - 1].append(first)
                    }
                    rest = rest.dropFirst()
                }
            }
        }

        func display(_ style: ProgressStyle, _ traits: TerminalTraits) -> ProgressDisplay {
            ProgressDisplay(
                style: style,
                reportPath: "out/r.json",
                traits: { traits },
                now: { self.time },
                write: { self.write($0) }
            )
        }
    }

    private static let terminal = TerminalTraits(canRedraw: true, usesColor: false)
    private static let pipe = TerminalTraits(canRedraw: false, usesColor: false)

    private static func running(_ id: String) -> TaskProgress {
        var task = TaskProgress(id: id, kind: .download)
        task.countOfBytesReceived = 50
        task.countOfBytesExpected = 100
        return task
    }

    private static let summary = [
        "1 of 3 tasks succeeded, 1 failed, 1 skipped; 4.0 KiB received in 3.2 s",
        "report: out/r.json", "",
    ]

    @Test func `without a terminal each finished task is one line`() {
        let screen = Screen()
        let display = screen.display(.auto, Self.pipe)
        #expect(display.progressInterval == .seconds(5))
        for event in Samples.events { display.receive(event) }
        #expect(screen.lines.count == 7)
        #expect(screen.lines[0].hasPrefix("succeeded  artifact"))
        #expect(screen.lines[1].hasPrefix("failed     refused"))
        #expect(screen.lines[3] == "skipped    skipped")
        #expect(Array(screen.lines.suffix(3)) == Self.summary)
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
        #expect(plain.lines[0] == "retrying   a  attempt 1: reset: lost; again in 50 ms")
        let bars = Screen()
        bars.display(.bar, Self.terminal).receive(retry)
        #expect(bars.writes == 0)
    }

    @Test func `plain progress names the running tasks after 30 s of silence`() {
        let screen = Screen()
        let display = screen.display(.plain, Self.pipe)
        display.receive(.started(Samples.header))
        for second in stride(from: Int64(5), through: 65, by: 5) {
            screen.time = MonotonicTime(nanoseconds: second * 1_000_000_000)
            var tasks = ["a", "b", "c", "d"].map(Self.running)
            tasks[0].countOfBytesReceived = second * 1024
            display.receive(.progress(tasks))
            if second == 40 { display.receive(.taskFinished(Samples.refused)) }
        }
        #expect(screen.lines.count == 4)
        #expect(
            screen.lines[0]
                == "running    a, b, c and 1 more; 0 of 3 tasks have ended; 30.1 KiB, 1.0 KiB/s"
        )
        #expect(screen.lines[1].hasPrefix("failed     refused"))
    }

    @Test(arguments: [ProgressStyle.none, .bar])
    func `only plain progress reports after silence`(style: ProgressStyle) {
        let screen = Screen()
        let display = screen.display(style, Self.terminal)
        #expect(display.progressInterval == (style == .bar ? .milliseconds(200) : nil))
        display.receive(.started(Samples.header))
        screen.time = MonotonicTime(nanoseconds: 60_000_000_000)
        display.receive(.progress([Self.running("a")]))
        #expect(!screen.lines.contains { $0.hasPrefix("running") })
    }

    @Test func `bars are replaced, failures stay above them, and the end clears them`() {
        let screen = Screen()
        let display = screen.display(.bar, Self.terminal)
        #expect(display.progressInterval == .milliseconds(200))
        display.receive(.started(Samples.header))
        display.receive(.taskStarted(Self.running("artifact")))
        display.receive(.progress([Self.running("artifact"), Self.running("refused")]))
        #expect(screen.lines.count == 4)
        #expect(screen.lines[2] == "0/3 tasks  100 B  2 running")

        screen.time = MonotonicTime(nanoseconds: 1_000_000_000)
        display.receive(.taskFinished(Samples.refused))
        #expect(screen.lines[0].hasPrefix("failed     refused"))
        #expect(screen.lines[2].hasPrefix("artifact"))
        #expect(screen.lines[3].hasPrefix("1/3 tasks  1 failed  50 B"))

        display.receive(.finished(Samples.summary))
        #expect(screen.lines.count == 5)
        #expect(Array(screen.lines.suffix(3)) == Self.summary)
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
            Array(screen.lines.prefix(2)) == [
                "stderr     dump  connected", #"stderr     dump  closed\u{1B}[A"#,
            ]
        )
        #expect(screen.lines.count == (style == .bar ? 5 : 3))
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
        #expect(screen.lines[1] == "0/1 tasks  2.0 KiB  1.0 KiB/s  0:08 left  1 running")
    }

    @Test func `none writes nothing`() {
        let screen = Screen()
        let display = screen.display(.none, Self.terminal)
        for event in Samples.events { display.receive(event) }
        #expect(screen.writes == 0)
    }
}
