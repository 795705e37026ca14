import ArgumentParser
import JSON
import Journal
import SystemKit
import TransferModel

/// `runner status`: the status of background sessions.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the status of background sessions.",
        discussion: Examples.discussion(
            "Exits with 2 for an unknown identifier, and with 4 when a session cannot be read.",
            Example("all background sessions", "runner status"),
            Example("each transfer of one session", "runner status nightly-mirror")
        )
    )

    @Argument(help: "The background session to show with all its transfers; by default, all.")
    var identifier: String?

    @Option(help: "The output format. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let format = try OutputFormat.resolve(format)
        let folder = try StateFolder(
            chosen: state.chosenFolder,
            environment: ProcessContext.environment
        ).background()
        if let identifier { try folder.require(identifier) }
        var isWhole = true
        var statuses: [SessionStatus] = []
        for identifier in identifier.map({ [$0] }) ?? folder.identifiers {
            do throws(BackgroundJournal.Fault) {
                guard let round = try folder.round(of: identifier) else { continue }
                let holder = try? folder.lock(of: identifier).holder
                statuses.append(
                    SessionStatus(
                        identifier: identifier,
                        round: round,
                        holder: holder,
                        isSuspended: folder.isSuspended(identifier)
                    )
                )
            } catch {
                isWhole = false
                Exit(.environment, error.message).explain()
            }
        }
        let withTransfers = identifier != nil
        switch format {
        case .text:
            try StandardOutput.write(
                statuses.map { $0.text(withTransfers: withTransfers) }.joined(separator: "\n")
            )
        case .json: try StandardOutput.write(json: Self.json(statuses, withTransfers).span)
        }
        if !isWhole { throw Exit(.environment) }
    }

    /// `{ "formatVersion": 1, "sessions": [ … ] }`.
    private static func json(_ statuses: [SessionStatus], _ withTransfers: Bool) -> [UInt8] {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("formatVersion", 1)
        writer.key("sessions")
        writer.beginArray()
        for status in statuses { status.write(to: &writer, withTransfers: withTransfers) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}
