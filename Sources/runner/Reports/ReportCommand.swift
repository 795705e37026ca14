import ArgumentParser
import Report
import SystemKit
import TransferModel

/// `runner report`: shows a written report, or makes another document of it.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        _superCommandName: Program.name,
        abstract:
            "Show, compare and merge reports, or make HAR, JUnit XML, metrics, a trace or a page of one.",
        discussion: """
            A report is the JSON file that `runner run` writes. The job file's `report` names the same documents, \
            which a run then writes by itself.

            \(Examples.title)
              # how did it end, and what took the time
              runner report show report.json
              # for the browser's network panel
              runner report har report.json -o run.har
            """,
        subcommands: [
            Show.self, DiffCommand.self, MergeCommand.self, HAR.self, JUnit.self, Prometheus.self,
            HTML.self, OTLP.self,
        ]
    )

    /// The report on the command line.
    struct Input: ParsableArguments {
        @Argument(
            help: ArgumentHelp("The JSON report of a run, also compressed.", valueName: "report"),
            completion: .file(extensions: ["json", "gz"])
        )
        var path: String

        /// The file of the report.
        var file: WrittenReport { WrittenReport(path: path) }
    }

    /// A report, and the file for the document that is made of it.
    struct Conversion: ParsableArguments {
        @OptionGroup var input: Input

        @Option(
            name: [.customShort("o"), .long],
            help: ArgumentHelp(
                "The file for the document, replaced as a whole. (default: standard output)",
                valueName: "file"
            ),
            completion: .file()
        )
        var output: String?

        /// Makes the document.
        func write(_ kind: ReportKind) throws {
            let report = try input.file.read()
            try input.file.naming {
                let file: any ReportFile =
                    if let output {
                        try PublishedReport(path: output, kind: kind)
                    } else {
                        PrintedReport()
                    }
                try kind.export(report, to: file, forGitLab: ReportKind.gitLabPaths)
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show how a run ended, what failed and why, and where the time went.",
            discussion: Examples.discussion(
                "",
                Example("with more tasks in each list", "runner report show report.json --limit 50")
            )
        )

        @OptionGroup var input: Input

        @Option(
            help: ArgumentHelp("The most tasks of each list. (default: 10)", valueName: "count")
        )
        var limit: Int?

        mutating func validate() throws {
            if let limit, limit < 1 { throw ValidationError("`--limit` takes 1 or more") }
        }

        mutating func run() throws {
            let report = try input.file.read()
            var summary = ReportSummary(mostTasks: limit ?? 10, detail: report.detail)
            try input.file.naming { try report.forEachTask { summary.add($0) } }
            try StandardOutput.write(summary.text(of: report.run))
        }
    }

    struct HAR: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "har",
            abstract: "Write an HTTP Archive (HAR 1.2) with each request of the run.",
            discussion: Examples.discussion(
                "",
                Example(
                    "for the network panel of a browser",
                    "runner report har report.json -o run.har"
                )
            )
        )

        @OptionGroup var conversion: Conversion

        mutating func run() throws { try conversion.write(.har) }
    }

    struct JUnit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "junit",
            abstract: "Write JUnit XML with one test case for each task.",
            discussion: Examples.discussion(
                "",
                Example(
                    "for the test view of a CI server",
                    "runner report junit report.json -o junit.xml"
                )
            )
        )

        @OptionGroup var conversion: Conversion

        mutating func run() throws { try conversion.write(.junit) }
    }

    struct HTML: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "html",
            abstract: "Write an HTML page with the tasks of the run, for a browser.",
            discussion: Examples.discussion(
                "",
                Example(
                    "one file, to send or to keep",
                    "runner report html report.json -o run.html"
                )
            )
        )

        @OptionGroup var conversion: Conversion

        mutating func run() throws { try conversion.write(.html) }
    }

    struct OTLP: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "otlp",
            abstract: "Write an OpenTelemetry trace in OTLP's JSON, for a collector.",
            discussion: Examples.discussion(
                "",
                Example(
                    "send it to a collector",
                    "runner report otlp report.json | curl -H 'Content-Type: application/json' "
                        + "--data-binary @- http://localhost:4318/v1/traces"
                )
            )
        )

        @OptionGroup var conversion: Conversion

        mutating func run() throws { try conversion.write(.otlp) }
    }

    struct Prometheus: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prometheus",
            abstract: "Write metrics for Prometheus' textfile collector.",
            discussion: Examples.discussion(
                "",
                Example(
                    "where the node exporter reads them",
                    "runner report prometheus report.json -o /var/lib/node_exporter/job.prom"
                )
            )
        )

        @OptionGroup var conversion: Conversion

        mutating func run() throws { try conversion.write(.prometheus) }
    }
}
