import ArgumentParser
import SystemKit
import TransferModel

/// `runner doctor`: checks what works on this machine, what does not, and what that means.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        _superCommandName: Program.name,
        abstract: "Check what works on this machine, and explain the consequences.",
        discussion: Examples.discussion(
            "Tries everything out without the network. Exits with 4 when a fault keeps jobs from "
                + "working.",
            Example("what works here", "runner doctor"),
            Example(
                "only what does not work",
                "runner doctor --format json | jq '.examinations[].findings[]\n"
                    + "    | select(.status != \"ok\")'"
            )
        )
    )

    @Option(help: "The output format. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let format = try OutputFormat.resolve(format)
        let environment = ProcessContext.environment
        let state = StateFolder(
            chosen: state.chosenFolder,
            environment: environment
        )
        let report = DoctorReport(
            examinations: [
                LibraryExamination.examine(), TrustExamination.examine(),
                FolderExamination.examine(
                    state: state.absolutePath,
                    cache: CacheFolder.path(in: environment)
                ),
                ProxyExamination.examine(), MachineExamination.examine(),
            ].compactMap(\.self)
        )
        switch format {
        case .text: try StandardOutput.write(report.text)
        case .json: try StandardOutput.write(json: report.json.span)
        }
        if report.faultCount > 0 { throw Exit(.environment) }
    }
}
