import Scheduler
import SystemKit
import TransferModel

/// Submits a script or manifest to a cluster by a program such as sbatch.
enum SubmittedText {
    /// How long a cluster may take to accept a text.
    private static let patience = Duration.seconds(120)
    private static let longestReply = 64 << 10

    /// Runs a program with the text as its standard input.
    ///
    /// - Returns: The standard output of the program.
    /// - Throws: `Exit` when it cannot be started, and when it does not succeed.
    static func hand(_ text: String, to command: [String]) throws(Exit) -> String {
        let name = command[0]
        let deadline = MonotonicTime.present() + patience
        let reply = try Exit.environment { () throws(SystemError) in
            let program = try ChildProcess(
                command,
                in: ProcessContext.workingFolder ?? "/",
                hasInput: true
            )
            if let input = program.input { try feed(text, to: input, of: program, until: deadline) }
            return try program.capture(limit: longestReply, until: deadline.nanoseconds)
        }
        let output = String(decoding: reply.output, as: UTF8.self)
        guard case .ended(let status) = reply.outcome else {
            throw Exit(.environment, "\(name) did not end within 120 s, or wrote more than 64 KiB")
        }
        guard status.isSuccess else {
            let words = String(decoding: reply.error, as: UTF8.self).onOneLine(limit: 400).text
            throw Exit(.environment, "\(name) rejected the job: \(words)")
        }
        return output
    }

    /// Writes the text while the program reads it.
    private static func feed(
        _ text: String,
        to input: PipeWriter,
        of program: ChildProcess,
        until deadline: MonotonicTime
    ) throws(SystemError) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count, MonotonicTime.present() < deadline {
            switch try input.write(bytes.span.extracting(droppingFirst: written)) {
            case .bytes(let count): written += count
            case .full:
                let soon = MonotonicTime.present() + .milliseconds(10)
                if program.awaitEnd(until: soon.nanoseconds) { return }
            case .closed: return
            }
        }
        // A text that is cut must not look whole; `capture` kills the program at the deadline.
        if written == bytes.count { input.end() }
    }
}
