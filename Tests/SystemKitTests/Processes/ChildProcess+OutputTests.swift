import SystemKit
import TestSupport
import Testing

@Suite struct ChildProcessOutputTests {
    private static func farAway() -> Int64 { Clock.monotonicNanoseconds() + 60_000_000_000 }

    @Test func `output is handed on as it arrives, from both streams`() throws {
        let child = try ChildProcess(
            ["sh", "-c", "head -c 200000 /dev/zero; head -c 100000 /dev/zero >&2; exit 4"],
            in: "/"
        )
        var (output, error) = (0, 0)
        let outcome = try child.relay(until: Self.farAway()) { bytes, isError in
            if isError { error += bytes.count } else { output += bytes.count }
        }
        #expect(outcome == .ended(.exited(4)))
        #expect(output == 200_000 && error == 100_000)
    }

    @Test func `processes that a child leaves running are not waited for`() throws {
        let child = try ChildProcess(["sh", "-c", "sleep 1000 & echo $!"], in: "/")
        var output: [UInt8] = []
        #expect(
            try child.relay(until: Self.farAway()) { bytes, _ in output += bytes }
                == .ended(.exited(0))
        )
        let number = String(decoding: output, as: UTF8.self).filter(\.isNumber)
        #expect(try Command("kill", [number]).run().status == .exit(0))
    }

    @Test func `a program that exceeds its time is killed`() throws {
        let child = try ChildProcess(["sleep", "1000"], in: "/")
        #expect(try child.relay(until: 0) { _, _ in } == .timedOut)
        #expect(child.wait(until: nil) == .killed(signal: 9))
    }

    @Test func `a program that writes too fast is killed in time`() throws {
        let child = try ChildProcess(["yes"], in: "/")
        let deadline = Clock.monotonicNanoseconds() + 50_000_000
        let outcome = try child.relay(until: deadline) { _, _ in
            // As slow as a terminal: the pipe is full again before the next look.
            let end = Clock.monotonicNanoseconds() + 2_000_000
            while Clock.monotonicNanoseconds() < end {}
        }
        #expect(outcome == .timedOut)
    }

    @Test func `a child gets only the given environment`() throws {
        let child = try ChildProcess(
            ["/usr/bin/env"],
            in: "/",
            environment: ["A": "1", "B": "two = words"]
        )
        var output: [UInt8] = []
        #expect(
            try child.relay(until: Self.farAway()) { bytes, _ in output += bytes }
                == .ended(.exited(0))
        )
        #expect(String(decoding: output, as: UTF8.self) == "A=1\nB=two = words\n")
    }
}
