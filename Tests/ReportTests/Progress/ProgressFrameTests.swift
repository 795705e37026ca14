import SystemKit
import Testing
import TransferModel

@testable import Report

@Suite struct ProgressFrameTests {
    private static let total = ProgressFrame.Total(
        tasks: 10_000,
        done: 1234,
        failed: 2,
        bytes: 5_000_000,
        bytesPerSecond: 2_097_152,
        secondsLeft: 72,
        running: 4
    )

    private static func task(_ id: String, _ received: Int64, of expected: Int64?) -> TaskProgress {
        var task = TaskProgress(id: id, kind: .download)
        task.countOfBytesReceived = received
        task.countOfBytesExpected = expected
        return task
    }

    private static let tasks = [
        task("artifact", 512, of: 1024),
        task("a-very-long-identifier-that-does-not-fit[日本語]", 3_000_000, of: nil),
        task("日本語日本語日本語日本語", 2048, of: 2048), task("evil\u{1B}[2J", 9999, of: 10),
    ]

    private static let rows = tasks.map { ProgressFrame.Row(task: $0) }

    @Test func `a line has the id, a bar, the share and the bytes`() {
        let frame = ProgressFrame(rows: Self.rows, total: Self.total)
        let lines = frame.lines(columns: 60, rows: 24)
        #expect(
            lines == [
                "artifact              [========>        ]   50%       512 B",
                "a-very-lon…t[日本語]  [                 ]     -     2.9 MiB",
                "日本語日本…語日本語   [=================]  100%     2.0 KiB",
                #"evil\u{1B}[2J         "# + "[=================]  100%     9.8 KiB",
                "[=>          ]  1234/10000 tasks  2 failed  4.8 MiB",
                "2.0 MiB/s  1:12 left  4 running",
            ]
        )
    }

    @Test func `on a narrow terminal the bars go first`() {
        let lines = ProgressFrame(rows: Self.rows, total: Self.total).lines(
            columns: 20,
            rows: 24
        )
        #expect(
            lines == [
                "artifact        50%", "a-ver…[日本語]    -", "日本語…日本語  100%",
                #"evil\u{1B}[2J  100%"#, "1234/10000 tasks", "2 failed  4.8 MiB",
            ]
        )
    }

    @Test(arguments: [1, 2, 5, 12, 13, 20, 39, 40, 41, 80, 200, 1000], [1, 3, 4, 6, 100])
    func `no picture is wider or higher than the terminal`(columns: Int, rows: Int) {
        let lines = ProgressFrame(rows: Self.rows, total: Self.total)
            .lines(columns: columns, rows: rows)
        #expect(lines.count <= max(1, rows - 2))
        for line in lines {
            #expect(TerminalText.width(line) <= max(1, columns - 1), "\(line)")
        }
    }

    @Test func `a wide terminal shows all figures`() {
        let lines = ProgressFrame(rows: Self.rows, total: Self.total)
            .lines(columns: 200, rows: 24)
        #expect(
            lines.last
                == "[====>                                 ]  1234/10000 tasks  2 failed  4.8 MiB"
                + "  2.0 MiB/s  1:12 left  4 running"
        )
        #expect(lines.first?.contains("[===================>                  ]   50%") == true)
    }

    @Test func `at 40 columns the bar of the run, the count, the rate and the time left fit`() {
        var row = ProgressFrame.Row(task: Self.task("artifact", 512, of: 1024))
        row.words = "backing off 12 s: 503"
        let lines = ProgressFrame(rows: [row] + Self.rows, total: Self.total)
            .lines(columns: 40, rows: 24)
        #expect(
            lines == [
                "artifact    backing off 12 s: 503", "artifact    [===>   ]   50%       512 B",
                "a…[日本語]  [       ]     -     2.9 MiB", "日本…本語   [=======]  100%     2.0 KiB",
                #"evil\…}[2J  [=======]  100%     9.8 KiB"#,
                "[>      ]  1234/10000 tasks  2 failed", "4.8 MiB  2.0 MiB/s  1:12 left",
            ]
        )
    }

    @Test func `from 70 columns on a line has the rate of its task`() {
        var row = ProgressFrame.Row(task: Self.task("artifact", 512, of: 1024))
        row.bytesPerSecond = 1_500_000
        let frame = ProgressFrame(rows: [row], total: Self.total)
        #expect(frame.lines(columns: 80, rows: 24)[0].hasSuffix("  50%       512 B     1.4 MiB/s"))
        #expect(frame.lines(columns: 70, rows: 24)[0].hasSuffix("  50%       512 B"))
    }
}
