import ArgumentParser
import JSON
import NetworkPath
import Plan
import Report
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

    @Argument(help: ArgumentHelp("The job file.", valueName: "file"), completion: .jobFile)
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

/// The output of `interfaces` as text or JSON.
struct InterfaceReport {
    let snapshot: NetworkSnapshot
    let sessions: [SessionConfiguration]

    /// A line for each interface and each session, without text that a terminal obeys.
    var text: String {
        let head = [
            "interface", "state", "kind", "cellular", "expensive", "constrained", "evidence",
        ]
        let rows = snapshot.interfaces.map { interface in
            let found = interface.classification
            return [
                interface.name, state(of: interface), found.kind.rawValue,
                Self.word(found.isCellular), Self.word(found.isExpensive),
                Self.word(found.isConstrained),
                found.evidence.isEmpty ? "none" : found.evidence.joined(separator: ", "),
            ].map(TerminalText.harmless)
        }
        let widths = head.indices.map { column in
            ([head] + rows).map { TerminalText.width($0[column]) }.max() ?? 0
        }
        var lines = ([head] + rows).map { row in
            let cells = row.enumerated().map { column, text in
                column == head.count - 1
                    ? text
                    : text
                        + String(
                            repeating: " ",
                            count: max(0, widths[column] - TerminalText.width(text))
                        )
            }
            return cells.joined(separator: "  ")
        }
        if !sessions.isEmpty { lines.append("") }
        lines += sessions.map { session in
            TerminalText.harmless("session \(session.name): \(snapshot.words(for: session.access))")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private func state(of interface: NetworkInterface) -> String {
        if !interface.isUp { return "down" }
        return snapshot.isUsable(interface) || interface.isLoopback ? "up" : "no route"
    }

    private static func word(_ isSo: Bool?) -> String {
        isSo.map { $0 ? "yes" : "no" } ?? "unknown"
    }

    /// `{ "formatVersion": 1, "interfaces": [ … ], "sessions": [ … ] }`.
    ///
    /// An interface is `{ "name", "isUp", "isUsable", "kind", "isCellular", "isExpensive",
    /// "isConstrained", "addresses", "evidence" }`, a session
    /// `{ "name", "status", "reason", "interfaces" }`.
    var json: [UInt8] {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("formatVersion", 1)
        writer.key("interfaces")
        writer.beginArray()
        for interface in snapshot.interfaces { write(interface, to: &writer) }
        writer.endArray()
        writer.key("sessions")
        writer.beginArray()
        for session in sessions { write(session, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }

    private func write(_ interface: NetworkInterface, to writer: inout JSONWriter) {
        let found = interface.classification
        writer.beginObject()
        writer.member("name", interface.name)
        writer.member("isUp", interface.isUp)
        writer.member("isUsable", snapshot.isUsable(interface))
        writer.member("kind", found.kind.rawValue)
        for (name, isSo) in [
            ("isCellular", found.isCellular), ("isExpensive", found.isExpensive),
            ("isConstrained", found.isConstrained),
        ] {
            writer.key(name)
            if let isSo { writer.bool(isSo) } else { writer.null() }
        }
        Self.write(interface.addresses.map(\.text), as: "addresses", to: &writer)
        Self.write(found.evidence, as: "evidence", to: &writer)
        writer.endObject()
    }

    private func write(_ session: SessionConfiguration, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", session.name)
        let status = snapshot.status(for: session.access)
        writer.member("status", status == .satisfied ? "satisfied" : "unsatisfied")
        writer.key("reason")
        if case .unsatisfied(let denial?) = status {
            writer.string(denial.rawValue)
        } else {
            writer.null()
        }
        Self.write(snapshot.permitted(for: session.access), as: "interfaces", to: &writer)
        writer.endObject()
    }

    private static func write(_ texts: [String], as key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }
}

extension NetworkSnapshot {
    /// The interfaces that tasks with an access rule can use now, for the user.
    func words(for access: NetworkAccess) -> String {
        switch status(for: access) {
        case .satisfied: permitted(for: access).joined(separator: ", ")
        case .unsatisfied(let denial?): "none (\(denial.rawValue))"
        case .unsatisfied(nil): "none"
        }
    }
}
