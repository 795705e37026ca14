import ArgumentParser
import SystemKit
import TestSupport

/// `reply-fuzz`: gives random and mutated replies of FTP servers to their reader.
///
/// Every input is a file before it is tried, so that one that kills the process stays behind.
@main
struct ReplyFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply-fuzz",
        abstract: "Look for replies of an FTP server that the runner cannot bear.",
        discussion: "The same seed makes the same inputs."
    )

    @Option(help: "How long to go on.")
    var seconds = 60

    @Option(help: "Where the dice start; by default the clock.")
    var seed: UInt64?

    @Option(help: "The folder that inputs are written to.")
    var folder = "/tmp/reply-fuzz"

    @Argument(help: "Files of replies to try first, or patterns.")
    var files: [String] = []

    mutating func run() throws {
        let seed = seed ?? UInt64(bitPattern: Clock.wallNanoseconds())
        let folder = try Folder(path: folder, create: true)
        print("seed \(seed), inputs in \(folder.path)/\(seed).replies")
        var session = ReplySession(folder: folder, seed: seed)
        for path in try files.flatMap({ try FilePattern.expand($0) }) {
            _ = try session.run(InputFile(path: path).readPrefix(limit: 16 << 20))
        }
        var lines = ReplyLines(seed: seed)
        let start = Clock.monotonicNanoseconds()
        while Clock.monotonicNanoseconds() - start < Int64(seconds) * 1_000_000_000 {
            let input = lines.makeInput()
            let answer = try session.run(input)
            lines.note(input, answer: answer)
        }
        print(session.summary + ", \(lines.answerCount) different answers")
        if session.faultCount > 0 { throw ExitCode.failure }
    }
}
