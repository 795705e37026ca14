internal import Diagnostics
internal import JobFile
internal import TransferModel

/// The settings that only stream tasks have, while they are read.
struct StreamTaskDraft: Sendable {
    var host: String?
    var port: Int?
    var isSecure = false
    var steps: [StreamStep] = []
    /// A step that sends a secret before another step begins TLS.
    var earlySecret: NodeID?

    /// The peer as a URL, by which secrets know it: https when any step has TLS.
    ///
    /// Nil before host and port are known.
    var url: TransferURL? { url(isSecure: isSecure || startsTLS) }

    /// The peer as a URL, by which sessions and proxies know it: https when the connection begins
    /// with TLS.
    var connectionURL: TransferURL? { url(isSecure: isSecure) }

    /// Whether a step begins TLS.
    var startsTLS: Bool { steps.contains { $0.action == .startSecureConnection } }

    private func url(isSecure: Bool) -> TransferURL? {
        guard let host, let port else { return nil }
        return try? StreamTaskTable.url(host: host, port: port, isSecure: isSecure)
    }

    /// The peer as reports write it; nil before both parts are known.
    var address: String? {
        connectionURL.map { StreamSpec.address($0.text) }
    }

    /// The absolute paths of the files that steps send.
    var files: [String] {
        steps.compactMap { step in
            if case .write(let content) = step.action { content.path } else { nil }
        }
    }
}

/// `streams`: the settings of their tasks.
enum StreamTaskTable {
    static let table = SettingTable<TaskDraft>(
        "streamTask",
        [
            TaskTable.sessionName,
            Setting(
                "host",
                host.neededBeforeTheRun(),
                isRequired: true,
                "The name or the IP address of the peer."
            ) { $0.stream.host = $1 },
            Setting(
                "port",
                ValueType.integer(1...65535).neededBeforeTheRun(),
                isRequired: true,
                "The TCP port of the peer."
            ) { $0.stream.port = $1 },
            Setting(
                "secure",
                ValueType.boolean.neededBeforeTheRun(),
                default: "false",
                "Whether the connection begins with TLS."
            ) { $0.stream.isSecure = $1 },
            Setting(
                "steps",
                StreamStepTable.steps,
                isRequired: true,
                "What the task does, one step after the other."
            ) { draft, steps in
                draft.stream.steps = steps.compactMap(\.step)
                let plain = steps.prefix { $0.action != .startSecureConnection }
                draft.stream.earlySecret = plain.lazy.compactMap(\.secretPlace).first
                draft.expectation.captures = steps.flatMap(\.captures)
                draft.destination = steps.lazy.compactMap(\.file).first
            },
        ] + TaskTable.general.filter { $0.description.name != "headers" } + [TaskTable.retry]
            + NetworkAccessTable.task
    )

    /// A host as the JSON Schema has it.
    static let hostPattern = #"^[^\s/?#@\[\]]{1,253}$"#

    private static let host = ValueType<String>(pattern: hostPattern, example: "mail.example.com") {
        text throws(ValueFault) in
        do {
            _ = try url(host: text, port: 1, isSecure: false)
        } catch {
            throw ValueFault(
                .badValue,
                "`\(text.excerpt)` is not the name or the IP address of a host",
                help: "write the host alone, as in `mail.example.com` or `2001:db8::25`"
            )
        }
        return text
    }

    /// The peer as a URL.
    static func url(host: String, port: Int, isSecure: Bool) throws(URLFault) -> TransferURL {
        guard host.utf8.allSatisfy({ !"/?#@[]\\%".utf8.contains($0) && $0 > 0x20 }) else {
            throw .badHost
        }
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return try TransferURL("\(isSecure ? "https" : "http")://\(name):\(port)/")
    }
}
