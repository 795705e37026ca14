import TestSupport
import Testing

/// Recordings of a run in a terminal of tmux: what a user sees while it runs, and afterwards.
@Suite struct TerminalRecordingTests {
    /// A recorded terminal.
    private struct Recording {
        /// The pictures of the screen while the run went on, each in lines.
        var pictures: [[String]]
        /// The screen in the end.
        var screen: [String] = []
        /// All that the terminal has in the end, with broken lines joined.
        var end: [String] = []
    }

    private static let count = 200

    /// A job of 200 tasks, of which four fail, some long and some short.
    private func job(_ server: ScriptedServer) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 12 }
            defaults: { httpMaximumConnectionsPerHost: 12, retry: { attempts: 1 } }
            downloads:
              file: { forEach: { range: [1, \(Self.count)], key: "größe-${item}" }, url: "\(server.origin)/${item}", to: "out/${item}.bin" }
            """
        )
    }

    private func server() throws -> ScriptedServer {
        let body = [UInt8](repeating: 1, count: 400)
        return try ScriptedServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            if number % 50 == 0 { return .status(404) }
            guard number % 3 == 0 else { return .ok(body) }
            let head = Reply.head(200, ["Content-Length: \(body.count)"])
            return Reply([.send(head), .drip(body, every: .milliseconds(1))])
        }
    }

    private func tmux(_ socket: String, _ arguments: String...) throws -> String {
        try Command("tmux", ["-S", socket] + arguments, environment: ["LANG": "C.UTF-8"])
            .run().standardOutput
    }

    /// Runs the job in a terminal of that width, and looks at it again and again.
    private func record(
        columns: Int,
        shell environment: String = "LANG=C.UTF-8",
        redirecting: String = "",
        resizingTo width: Int? = nil
    ) throws -> Recording {
        let server = try server()
        let job = try job(server)
        let socket = job.folder.path("tmux")
        let command = try job.runCommand()
        let words = ([command.executable] + command.arguments).joined(separator: " ")
        let line =
            "cd \(job.folder.path); unset LC_ALL LC_CTYPE COLUMNS LINES NO_COLOR; "
            + "export HOME=\(job.folder.path); "
            + "env \(environment) \(words) \(redirecting); cat"
        _ = try tmux(
            socket,
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "\(columns)",
            "-y",
            "40",
            "sh",
            "-c",
            line
        )
        defer { _ = try? tmux(socket, "kill-server") }
        var rest = width
        var recording = Recording(pictures: [])
        // Each look is a process of tmux.
        try job.folder.wait(for: "the end of the run", every: .milliseconds(60)) {
            let picture = try tmux(socket, "capture-pane", "-p")
            recording.pictures.append(Self.lines(picture))
            let hasPicture = recording.pictures.last?.contains { $0.contains("/200 tasks") }
            if let width = rest, hasPicture == true {
                _ = try tmux(socket, "resize-window", "-x", "\(width)", "-y", "40")
                rest = nil
            }
            return recording.pictures.last?.contains { $0.hasSuffix("report: report.json") } == true
        }
        recording.screen = Self.lines(try tmux(socket, "capture-pane", "-p"))
        recording.end = Self.lines(
            try tmux(socket, "capture-pane", "-p", "-J", "-S", "-", "-E", "-")
        )
        withExtendedLifetime(server) {}
        return recording
    }

    /// The lines without blanks at their ends, to the last one with text.
    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Expects four failures, the totals and the report, and nothing else.
    private func expectEnd(_ recording: Recording, isPlain: Bool = false) {
        let rest = recording.end.map { isPlain ? String($0.dropFirst(9)) : $0 }
        #expect(rest.count { $0.hasPrefix("failed     ") } == 4)
        // A slow machine may need more than the 30 s after which a run says that it goes on.
        let words = ["failed     ", "succeeded  ", "running    "]
        let others = rest.filter { line in !words.contains { line.hasPrefix($0) } }
        #expect(others.count == 2, "\(others)")
        #expect(recording.end.dropLast().last?.hasPrefix("196 of 200 tasks succeeded") == true)
        #expect(recording.end.last == "report: report.json")
        #expect(rest.count { $0.hasPrefix("succeeded  ") } == (isPlain ? 196 : 0))
    }

    /// Whether a line is the row of a running task, whose id may be cut in the middle.
    private static func isBar(_ line: String) -> Bool {
        line.hasPrefix("f") && !line.hasPrefix("failed ") && line.contains("]  ")
    }

    @Test(arguments: [40, 80, 200])
    func `a run on a terminal leaves its failures and totals, no broken line and no bar`(
        columns: Int
    ) throws {
        let recording = try record(columns: columns)
        expectEnd(recording)
        // The picture is at the end of the screen; other lines are the failures'.
        let pictures = recording.pictures.filter { $0.contains { $0.contains("/200 tasks") } }
        #expect(pictures.count > 3)
        // A look may find a picture half drawn, above the end of the last one. The next look finds
        // it whole.
        let isWhole = pictures.map { $0.count { $0.contains("/200 tasks") } == 1 }
        #expect(zip(isWhole, isWhole.dropFirst()).allSatisfy { $0 || $1 }, "\(pictures)")
        for (picture, isWhole) in zip(pictures, isWhole) where isWhole {
            let bars = picture.filter(Self.isBar)
            #expect(bars.count <= 12)
            #expect(bars.allSatisfy { $0.count < columns })
        }
        #expect(pictures.contains { $0.contains(where: Self.isBar) })
    }

    @Test(arguments: [(80, 41), (41, 120)])
    func `a terminal that changes its width shows one picture, and none in the end`(
        columns: Int,
        width: Int
    ) throws {
        let recording = try record(columns: columns, resizingTo: width)
        // A narrower tmux moves a part of its screen into the history, which nobody can erase.
        #expect(!recording.screen.contains { $0.contains("[=") || $0.contains("/200 tasks") })
        #expect(recording.screen.contains { $0.hasPrefix("196 of 200 tasks succeeded") })
        #expect(recording.screen.last == "report: report.json")
        #expect(recording.end.count { $0.hasPrefix("failed     ") } == 4)
        let pictures = recording.pictures.filter { $0.contains { $0.contains("/200 tasks") } }
        #expect(pictures.last?.count { $0.contains("/200 tasks") } == 1)
    }

    @Test func `without UTF-8 everything is ASCII`() throws {
        let recording = try record(columns: 80, shell: "LANG=C")
        expectEnd(recording)
        #expect(
            (recording.pictures + [recording.end]).joined().allSatisfy { $0.utf8.count == $0.count }
        )
        #expect(
            recording.pictures.contains { $0.contains { $0.hasPrefix(#"file[gr\u{F6}\u{DF}e-"#) } }
        )
    }

    @Test(arguments: [
        ("TERM=dumb LANG=C.UTF-8", ""), ("-u TERM LANG=C.UTF-8", ""), ("LANG=C", "2>&1 | cat"),
    ])
    func `a dumb terminal, one without a type and a pipe get plain lines`(
        environment: String,
        redirecting: String
    ) throws {
        let recording = try record(
            columns: 80,
            shell: environment,
            redirecting: redirecting
        )
        expectEnd(recording, isPlain: true)
    }
}
