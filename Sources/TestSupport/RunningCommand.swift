import Glibc
import SystemKit

/// A running child process; killed when released.
///
/// For one thread at a time. Only the waiting methods read the child's output.
package final class RunningCommand {
    private let name: String
    private let process: pid_t
    private var input: Descriptor?
    private var output: Stream
    private var error: Stream
    private var isReaped = false

    /// An output stream of the child and the bytes read from it.
    private struct Stream {
        var descriptor: Descriptor?
        var bytes: [UInt8] = []

        /// Reads once; forgets the descriptor at the end of the stream.
        mutating func read() {
            guard let more = descriptor?.read(), !more.isEmpty else {
                descriptor = nil
                return
            }
            bytes += more
        }

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    init(
        name: String,
        process: pid_t,
        input: Descriptor,
        output: Descriptor,
        error: Descriptor
    ) {
        self.name = name
        self.process = process
        self.input = input
        self.output = Stream(descriptor: output)
        self.error = Stream(descriptor: error)
    }

    deinit {
        guard !isReaped else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The process's identifier.
    package var identifier: Int32 { process }

    /// The output read so far.
    package var standardOutput: String { output.text }
    /// The standard error read so far.
    package var standardError: String { error.text }

    /// Sends a signal.
    package func signal(_ number: Int32) {
        if !isReaped { kill(process, number) }
    }

    /// Waits for a complete line with `text` in either stream and returns the line.
    ///
    /// No letter stands before `text`: "Address already in use" is not `ready`.
    package func waitForLine(
        containing text: String,
        within interval: Duration = Deadline.guardInterval
    ) throws -> String {
        let deadline = Deadline(after: interval)
        while true {
            for stream in [output, error] {
                // A terminal ends lines with CR LF, which Swift treats as one character.
                let lines = stream.text.split(
                    omittingEmptySubsequences: false,
                    whereSeparator: \.isNewline
                )
                if let line = lines.dropLast().first(where: { Self.has(text, in: $0) }) {
                    return String(line)
                }
            }
            guard try pump(until: deadline) else {
                throw GuardTimeout("a line with '\(text)' of \(name), which ended: \(error.text)")
            }
        }
    }

    private static func has(_ text: String, in line: Substring) -> Bool {
        line.ranges(of: text).contains { line[..<$0.lowerBound].last?.isLetter != true }
    }

    /// Closes its standard input and waits for its end.
    package func finish(
        within interval: Duration = Deadline.guardInterval
    ) throws -> Command.Outcome {
        input = nil
        let deadline = Deadline(after: interval)
        while try pump(until: deadline) {}
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError.last("wait for", name) }
        }
        isReaped = true
        let signal = status & 0x7F
        return Command.Outcome(
            status: signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal),
            standardOutput: output.text,
            standardError: error.text
        )
    }

    /// Reads the next bytes; false when both streams have ended.
    private func pump(until deadline: Deadline) throws -> Bool {
        let open = [output.descriptor, error.descriptor].compactMap { $0 }
        guard !open.isEmpty else { return false }
        guard let ready = Readiness.wait(for: open.map { .readable($0) }, until: deadline) else {
            throw GuardTimeout("\(name) to end: \(error.text)")
        }
        if open[ready] === output.descriptor { output.read() } else { error.read() }
        return true
    }
}
