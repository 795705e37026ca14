import ArgumentParser
import Report
import SystemKit
import TransferModel

/// `runner report merge`: one report of several.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Make one report of several: of the shards of a job, or of a run and its reruns.",
        discussion: """
            Of the tasks with one id the one that ended last is in the report. Reports of shards must be of all shards of one \
            job file; a later report of a shard is a retry. The sums of attempts and bytes include the \
            others. The numbers of outcomes and the exit code in the report are recomputed; the command itself ends with 0.

            \(Examples.title)
              # a night and its rerun
              runner report merge night.json morning.json -o all.json
              # the shards of a job on several machines, compressed
              runner report merge shard-*.json.gz -o all.json.gz
              # out/report-1of4.json to out/report-4of4.json
              runner report merge --shards 4 out/report.json -o out/report.json
            """
    )

    @Argument(
        help: ArgumentHelp("The reports, of runs of the same job.", valueName: "report"),
        completion: .file(extensions: ["json", "gz"])
    )
    var reports: [String]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "The file for the report, replaced as a whole. (default: standard output)",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The report is that of the job: read those of its N shards, whose names end in -1ofN to "
                + "-NofN.",
            valueName: "n"
        )
    )
    var shards: Int?

    mutating func validate() throws {
        if shards != nil, reports.count != 1 {
            throw ValidationError("'--shards' takes one report, that of the job")
        }
    }

    /// The files of the process besides the reports.
    private static let spareFiles = 64

    mutating func run() throws {
        if let shards {
            reports = try ShardPlace.all(of: shards).map { $0.path(of: reports[0]) }
        }
        // Each report stays open to be read twice.
        ProcessContext.allowOpenFiles(reports.count + Self.spareFiles)
        let files = reports.map(WrittenReport.init)
        let readers = try files.map { try $0.read() }
        let merge: ReportMerge
        do {
            merge = try WrittenReport.naming(files, readers) { try ReportMerge(readers) }
        } catch let fault as ReportMergeFault {
            let subject = fault.index.map { "`\(reports[$0])` " } ?? ""
            throw Exit(.environment, subject + fault.message)
        }
        if merge.hasDifferentJobFiles {
            StandardError.say("warning: the job file has changed between the runs of these reports")
        }
        try WrittenReport.naming(files, readers) {
            let file: any ReportFile =
                if let output { try PublishedReport(path: output) } else { PrintedReport() }
            try merge.write(to: file)
        }
    }
}
