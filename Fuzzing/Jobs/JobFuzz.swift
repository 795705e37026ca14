import ArgumentParser
import SystemKit
import TestSupport

/// `job-fuzz`: changes job files at random and takes each through the whole of `validate` and
/// `plan`.
///
/// Every input is a file before it is tried, so that one that kills the process stays behind.
@main
struct JobFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-fuzz",
        abstract: "Look for job files that the program cannot bear.",
        discussion: "Run it in the repository's root. The same seed makes the same inputs."
    )

    @Option(help: "How long to go on.")
    var seconds = 60

    @Option(help: "Where the dice start; by default the clock.")
    var seed: UInt64?

    @Option(help: "The folder that inputs are written to.")
    var folder = "/tmp/job-fuzz"

    @Argument(help: "Job files to begin with, or patterns; by default those of the repository.")
    var files = ["jobs/*.yaml", "Tests/*Tests/Fixtures/*.yaml", "Tests/PlanTests/Valid/*.yaml"]

    mutating func run() throws {
        let seed = seed ?? UInt64(bitPattern: Clock.wallNanoseconds())
        let folder = try Folder(path: folder, create: true)
        var corpus = try Corpus(patterns: files)
        var mutator = Mutator(seed: seed)
        print("seed \(seed), \(corpus.inputs.count) files, inputs in \(folder.path)/\(seed).yaml")
        let start = Clock.monotonicNanoseconds()
        let base = ResourceUse.ofProcess().peakMemory
        var session = Session(folder: folder, seed: seed, baseMemory: base)
        for input in corpus.inputs { try session.run(input, &corpus) }
        while Clock.monotonicNanoseconds() - start < Int64(seconds) * 1_000_000_000 {
            try session.run(mutator.makeInput(from: corpus), &corpus)
        }
        print(session.summary(corpus))
        if session.faultCount > 0 { throw ExitCode.failure }
    }
}
