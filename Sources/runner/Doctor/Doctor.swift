import ArgumentParser
import JSON
import Report
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
        let report = DoctorReport(
            examinations: [
                LibraryExamination.examine(), TrustExamination.examine(),
                FolderExamination.examine(
                    state: state.folder.absolutePath,
                    cache: CacheFolder.path(in: ProcessContext.environment)
                ),
                ProxyExamination.examine(), ProgramExamination.examine(),
                MachineExamination.examine(),
            ].compactMap(\.self)
        )
        switch format {
        case .text: try StandardOutput.write(report.text)
        case .json: try StandardOutput.write(json: report.json.span)
        }
        if report.faultCount > 0 { throw Exit(.environment) }
    }
}

/// The output of `doctor` as text or JSON.
struct DoctorReport {
    let examinations: [Examination]

    /// The number of findings that make jobs fail.
    var faultCount: Int {
        examinations.reduce(0) { $0 + $1.findings.count { $0.status == .fault } }
    }

    /// Two lines for each finding, without text that a terminal obeys.
    var text: String {
        var lines = ["runner \(RunnerVersion.current)"]
        for examination in examinations {
            lines += ["", examination.name]
            for finding in examination.findings {
                let status = finding.status.rawValue
                let space = String(repeating: " ", count: 8 - status.utf8.count)
                lines.append("  \(status)\(space)\(finding.name): \(finding.value)")
                lines.append("          \(finding.meaning)")
            }
        }
        let end =
            switch faultCount {
            case 0: "Nothing here keeps jobs from working."
            case 1: "1 fault keeps jobs from working here."
            case let count: "\(count) faults keep jobs from working here."
            }
        lines += ["", end, ""]
        return lines.map(TerminalText.harmless).joined(separator: "\n")
    }

    /// `{ "formatVersion": 1, "runnerVersion": …, "faults": …, "examinations": [ … ] }`.
    ///
    /// An examination is `{ "name": …, "findings": [ { "name", "status", "value", "meaning" } ] }`.
    var json: [UInt8] {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("formatVersion", 1)
        writer.member("runnerVersion", RunnerVersion.current)
        writer.member("faults", faultCount)
        writer.key("examinations")
        writer.beginArray()
        for examination in examinations {
            writer.beginObject()
            writer.member("name", examination.name)
            writer.key("findings")
            writer.beginArray()
            for finding in examination.findings { Self.write(finding, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }

    private static func write(_ finding: Finding, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", finding.name)
        writer.member("status", finding.status.rawValue)
        writer.member("value", finding.value)
        writer.member("meaning", finding.meaning)
        writer.endObject()
    }
}
