import ArgumentParser
import Report
import SystemKit
import TransferModel

/// `runner report diff`: the differences between the reports of two runs.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare the reports of two runs: failures, times, files and tasks.",
        discussion: """
            A task is slower when it took --slower times as long, at least 100 ms more, and longer than the times of \
            the other tasks scatter. The exit code is 1 when a task failed anew or became slower, otherwise 0.

            \(Examples.title)
              # what changed since yesterday
              runner report diff yesterday.json today.json
              # only tasks that took at least three times as long
              runner report diff yesterday.json today.json --slower 3
            """
    )

    @Argument(
        help: ArgumentHelp("The report of the earlier run.", valueName: "old"),
        completion: .file(extensions: ["json", "gz"])
    )
    var old: String

    @Argument(
        help: ArgumentHelp("The report of the later run.", valueName: "new"),
        completion: .file(extensions: ["json", "gz"])
    )
    var new: String

    @Option(
        help: ArgumentHelp(
            "How many times as long a slower task takes, at least 1. (default: 1.5)",
            valueName: "factor"
        )
    )
    var slower: Double?

    @Option(help: ArgumentHelp("The most tasks of each list. (default: 10)", valueName: "count"))
    var limit: Int?

    @Option(help: "The output format: text or json. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    mutating func validate() throws {
        if let slower, !(1...1000).contains(slower) {
            throw ValidationError("`--slower` takes 1 to 1000")
        }
        if let limit, limit < 1 { throw ValidationError("`--limit` takes 1 or more") }
    }

    mutating func run() throws {
        let format = try OutputFormat.resolve(format)
        var limits = ReportDiff.Limits()
        if let slower { limits.percent = Int64(slower * 100) }
        let diff = try compare(limits)
        switch format {
        case .text: try StandardOutput.write(diff.text(limit: limit ?? 10))
        case .json: try StandardOutput.write(json: diff.json.span)
        }
        if diff.isWorse { throw Exit(.taskFailed) }
    }

    /// Reads both reports; a fault names its file.
    private func compare(_ limits: ReportDiff.Limits) throws -> ReportDiff {
        let files = [old, new].map(WrittenReport.init)
        let reports = try files.map { try $0.read() }
        for (file, report) in zip(files, reports) {
            try file.naming { try report.require(.failures) }
        }
        return try WrittenReport.naming(files, reports) {
            try ReportDiff(from: reports[0], to: reports[1], limits: limits)
        }
    }
}
