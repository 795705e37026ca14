import ArgumentParser
import NetworkPath
import Plan
import SystemKit
import TransferModel

/// `runner interfaces`: shows the classes of this machine's interfaces for network policies.
struct Interfaces: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interfaces",
        _superCommandName: Program.name,
        abstract:
            "Show each network interface, its class, the evidence, and which sessions may use it.",
        discussion: Examples.discussion(
            "With a job file, the command applies its `network.interfaces` and shows its sessions.",
            Example("which interface is expensive or constrained", "runner interfaces"),
            Example("what each session of a job may use now", "runner interfaces job.yaml")
        )
    )

    @Argument(
        help: ArgumentHelp("The job file.", valueName: "file"),
        completion: .jobFile
    )
    var file: String?

    @OptionGroup var job: JobOptions

    @Option(help: "The output format: text or json. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    mutating func run() throws {
        let format = try OutputFormat.resolve(format)
        let plan = try file.map { file in
            try JobSource(
                path: file,
                variables: job.resolvedVariables(in: ProcessContext.environment)
            ).requirePlan()
        }
        let report = InterfaceReport(
            snapshot: try NetworkSurvey.of(plan).snapshot(RouteSocket()),
            sessions: plan?.sessions ?? []
        )
        switch format {
        case .text: try StandardOutput.write(report.text)
        case .json: try StandardOutput.write(json: report.json.span)
        }
    }
}
