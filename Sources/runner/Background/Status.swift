import ArgumentParser
import JSON
import Journal
import Report
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
        let folder = try state.folder.background()
        if let identifier { try folder.require(identifier) }
        var isWhole = true
        var statuses: [SessionStatus] = []
        for identifier in identifier.map({ [$0] }) ?? folder.identifiers {
            do throws(JournalFault) {
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
        case .text where statuses.isEmpty && isWhole:
            try StandardOutput.write(
                "no background sessions in \(TerminalText.harmless(folder.path))\n"
            )
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

/// The status of a background session.
struct SessionStatus {
    enum State: String {
        /// A process is using the session.
        case running
        /// The next run continues the unfinished transfers.
        case open
        /// The next run begins a new round.
        case finished
        /// The user cancelled the round: the next run begins a new one.
        case cancelled
    }

    let identifier: String
    let round: BackgroundRound
    let holder: ProcessLock.Holder?
    /// Whether runs defer its transfers.
    let isSuspended: Bool

    var state: State {
        guard holder == nil else { return .running }
        return switch round.state {
        case .open: .open
        case .finished: .finished
        case .cancelled: .cancelled
        }
    }

    /// The number of the process that uses the session.
    var process: Int32? {
        if case .process(let number)? = holder { number } else { nil }
    }

    /// The status of a transfer, in a word.
    func word(for transfer: BackgroundRound.Transfer) -> String {
        if let outcome = transfer.state.end?.outcome { return outcome.rawValue }
        return holder != nil && transfer.state.wasCut ? "running" : "pending"
    }

    private func count(_ words: String...) -> Int {
        round.transfers.count { words.contains(word(for: $0)) }
    }

    var running: Int { count("running") }
    var succeeded: Int { count("succeeded", "unchanged") }
    var failed: Int { count("failed") }
    /// Includes transfers that have not begun, if their number is known.
    var pending: Int {
        let all = max(round.taskCount ?? 0, round.transfers.count)
        return all - running - succeeded - failed
    }

    // MARK: As text

    /// Several lines, optionally with each transfer.
    func text(withTransfers: Bool) -> String {
        let process = process.map { " (process \($0))" } ?? ""
        var lines = [
            "\(identifier): \(state.rawValue)\(process)\(isSuspended ? ", suspended" : "")",
            "  job \(round.job.name), \(round.job.path)",
            "  begun \(round.beginDate.rfc3339.prefix(19))Z",
            "  pending \(pending), running \(running), succeeded \(succeeded), failed \(failed)",
        ]
        if let finish = round.finish {
            lines.append("  last run ended with \(finish.exitCode), report \(finish.reportPath)")
        }
        if withTransfers { lines += round.transfers.map(line) }
        return lines.map { TerminalText.harmless($0) + "\n" }.joined()
    }

    private func line(of transfer: BackgroundRound.Transfer) -> String {
        let word = word(for: transfer)
        let space = String(repeating: " ", count: 10 - word.utf8.count)
        let detail = transfer.state.end?.error.map { ": \($0.detail.onOneLine(limit: 200).text)" }
        return
            "  \(word)\(space)\(transfer.id), attempts: \(transfer.state.attempts)\(detail ?? "")"
    }

    // MARK: As JSON

    func write(to writer: inout JSONWriter, withTransfers: Bool) {
        writer.beginObject()
        writer.member("identifier", identifier)
        writer.member("state", state.rawValue)
        writer.member("suspended", isSuspended)
        writer.key("process")
        writer.optional(process.map { Int64($0) })
        writer.key("job")
        writer.beginObject()
        writer.member("name", round.job.name)
        writer.member("file", round.job.path)
        writer.endObject()
        writer.member("beginDate", round.beginDate.rfc3339)
        let counts = [
            ("pending", pending), ("running", running), ("succeeded", succeeded),
            ("failed", failed),
        ]
        for (name, count) in counts {
            writer.member(name, count)
        }
        writer.key("lastRun")
        write(round.finish, to: &writer)
        if withTransfers {
            writer.key("transfers")
            writer.beginArray()
            for transfer in round.transfers { write(transfer, to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ finish: BackgroundRound.Finish?, to writer: inout JSONWriter) {
        guard let finish else { return writer.null() }
        writer.beginObject()
        writer.member("id", finish.runIdentifier)
        writer.member("exitCode", Int64(finish.exitCode))
        writer.member("report", finish.reportPath)
        writer.endObject()
    }

    private func write(_ transfer: BackgroundRound.Transfer, to writer: inout JSONWriter) {
        let end = transfer.state.end
        writer.beginObject()
        writer.member("id", transfer.id)
        writer.member("state", word(for: transfer))
        writer.member("attempts", transfer.state.attempts)
        writer.key("deadline")
        writer.optional(transfer.state.deadline?.rfc3339)
        writer.key("endDate")
        writer.optional(end?.date.rfc3339)
        writer.key("run")
        writer.optional(end?.runIdentifier)
        writer.key("error")
        writer.optional(end?.error?.detail)
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    fileprivate mutating func optional(_ number: Int64?) {
        if let number { integer(number) } else { null() }
    }
}
