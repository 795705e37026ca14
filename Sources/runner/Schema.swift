import ArgumentParser
import Plan
import ProtocolPrograms
import Report
import SystemKit

/// `runner schema`: prints the JSON Schema of this program.
struct Schema: ParsableCommand {
    enum Subject: String, WordChoice {
        case job
        case lock
        case report
        case events
        case reportEvents = "report-events"
        case reportDiff = "report-diff"
        case conversation = "protocol"
    }

    static let configuration = CommandConfiguration(
        commandName: "schema",
        _superCommandName: Program.name,
        abstract:
            "Print the JSON Schema (draft-07) of job files, of their lock files, of reports and "
            + "their differences, of events, or of the conversation with programs of custom schemes.",
        discussion: Examples.discussion(
            "",
            Example("for an editor", "runner schema job > job.schema.json"),
            Example(
                "the first line of a job file that yaml-language-server then checks",
                "# yaml-language-server: $schema=job.schema.json"
            )
        )
    )

    @Argument(help: "Which schema to print.")
    var subject: Subject

    mutating func run() throws {
        switch subject {
        case .job: try StandardOutput.write(JobSchema.text.span)
        case .lock: try StandardOutput.write(LockSchema.text)
        case .report: try StandardOutput.write(ReportSchema.text)
        case .reportEvents: try StandardOutput.write(CallbackSchema.text)
        case .reportDiff: try StandardOutput.write(ReportDiff.schema)
        case .events: try StandardOutput.write(EventSchema.text)
        case .conversation: try StandardOutput.write(ConversationSchema.text)
        }
    }
}
