import ArgumentParser
import Plan
import Report
import SystemKit
import TransferModel

/// The options of `runner submit`: the job, its shards, and the place of the script or manifest.
struct SubmitOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The job file.", valueName: "file"),
        completion: .jobFile
    )
    var file: String

    @Option(help: ArgumentHelp("The number of shards.", valueName: "n"))
    var shards: Int

    @OptionGroup var job: JobOptions

    @Option(
        help: ArgumentHelp(
            "The longest run of a shard, minutes; its next run resumes. (default: the "
                + "cluster's)",
            valueName: "minutes"
        )
    )
    var time: Int?

    @Option(
        help: ArgumentHelp("The memory of a shard, MiB. (default: 512)", valueName: "mib")
    )
    var memory: Int?

    @Option(
        name: .customLong("state-dir"),
        help: ArgumentHelp(
            "The folder for state, which the shards share; relative to the folder of the job "
                + "file. (default: state)",
            valueName: "folder"
        )
    )
    var stateFolder: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "The file for the text, replaced as a whole. (default: standard output)",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Submit the text instead of writing it.")
    var now = false

    func validate() throws {
        // Slurm announces the end of a job one minute before.
        guard [time, memory].allSatisfy({ (2...1_000_000).contains($0 ?? 2) }) else {
            throw ValidationError("'--time' and '--memory' take 2 to 1000000")
        }
        if now, output != nil {
            throw ValidationError("'--now' submits the text, and '--output' writes it")
        }
    }

    /// Checks the job, as a whole and as shards.
    func checkedPlan() throws -> Plan {
        // The script passes only the variables of the command line, so check with these alone.
        let variables = try job.resolvedVariables(in: [:])
        let first = try ShardPlace.all(of: shards)[0]
        // Variables and files may exist only on the machines of the cluster.
        let whole = try JobSource(
            path: file,
            variables: variables,
            toleratesEnvironment: true
        )
        guard whole.exitCode == .success, case .plan(let plan) = whole.outcome else {
            whole.printDiagnostics()
            throw Exit(whole.exitCode)
        }
        // A later run has another id and date.
        let later = Timestamp(microseconds: 100_000_000_000_000)
        let part = try JobSource(
            path: file,
            variables: variables,
            shard: first,
            run: RunValues(id: "later", startDate: later),
            toleratesEnvironment: true
        ).requirePlan()
        if let report = plan.reportPaths[.json], part.reportPaths[.json] != first.path(of: report) {
            throw Exit(
                .usage,
                "the report of each shard would have another name in each run: leave the values of "
                    + "`run` out of `report.json`"
            )
        }
        return plan
    }

    /// Writes the script or manifest to its file or to standard output.
    func write(_ text: String) throws {
        guard let output else {
            try StandardOutput.write(text)
            return
        }
        try Exit.environment { () throws(SystemError) in
            let file = try PublishedReport(path: output)
            try file.write(text.utf8.span)
            try file.publish()
        }
    }
}
