import SystemKit
import TestSupport
import Testing

@Suite struct CommandTests {
    @Test func `output, errors and the exit status are kept apart`() throws {
        let outcome = try Command("sh", ["-c", "echo out; echo err >&2; exit 3"]).run()
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardOutput == "out\n")
        #expect(outcome.standardError == "err\n")
    }

    @Test func `environment and working folder reach the child`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Command(
            "sh",
            ["-c", "pwd; echo $A${HOME-unset}"],
            environment: ["A": "1", "HOME": nil],
            workingFolder: folder.path
        ).run()
        #expect(outcome.standardOutput == "\(folder.path)\n1unset\n")
    }

    @Test func `more output than a pipe holds is read to its end`() throws {
        let outcome = try Command("sh", ["-c", "yes | head -c 300000"]).run()
        #expect(outcome.standardOutput.utf8.count == 300_000)
    }

    @Test func `a child can be signalled after a line of its own`() throws {
        let script = "trap 'echo stopped; exit 143' TERM; echo ready; while :; do read -r x; done"
        let child = try Command("sh", ["-c", script]).start()
        #expect(try child.waitForLine(containing: "rea") == "ready")
        child.signal(15)
        #expect(try child.waitForLine(containing: "stopped") == "stopped")
        #expect(try child.finish().status == .exit(143))
    }

    @Test func `a word within another word is not the awaited one`() throws {
        let script = "echo 'Address already in use'; echo ready"
        let child = try Command("sh", ["-c", script]).start()
        #expect(try child.waitForLine(containing: "ready") == "ready")
    }

    @Test func `a child that a signal ends reports the signal`() throws {
        let child = try Command("cat").start()
        child.signal(9)
        #expect(try child.finish().status == .signal(9))
    }

    @Test func `a program that cannot be started is an error`() {
        #expect(throws: SystemError.self) { try Command("no-such-program").run() }
    }

    @Test func `only the standard streams are open in a child`() throws {
        let gates = try (0..<5).map { _ in try Gate() }
        let outcome = try Command("sh", ["-c", "ls /proc/self/fd | wc -l"]).run()
        #expect(outcome.standardOutput == "4\n")
        gates.forEach { $0.open() }
    }
}
