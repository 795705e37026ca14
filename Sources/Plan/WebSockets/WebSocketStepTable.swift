internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A step of a WebSocket task while it is read.
struct WebSocketStepDraft: Sendable {
    /// The action of the step; nil before it is read.
    enum Action: Sendable {
        case send(SendDraft)
        case receive(Receiving)
        case ping([UInt8])
        case close(ClosingRule)
    }

    var action: Action?
    var timeout: Duration?

    /// The bytes of a message that is in memory.
    var size: Int {
        guard case .send(let send)? = action, case .bytes(let bytes)? = send.message?.content else {
            return 0
        }
        return bytes.count
    }

    /// The captures of the step.
    var captures: [Capture] {
        if case .receive(let receiving) = action { receiving.captures } else { [] }
    }
}

/// A `send` step while it is read.
struct SendDraft: Sendable {
    var message: OutgoingMessage?
    var type: MessageType?
    var count = 1
}

/// `steps` of a WebSocket task.
enum WebSocketStepTable {
    static let table = SettingTable<WebSocketStepDraft>(
        "webSocketStep",
        [
            Setting("send", send, "Sends a message.") { $0.action = .send($1) },
            Setting("receive", ReceiveTable.type, "Takes messages of the server.") {
                $0.action = .receive($1)
            },
            Setting("ping", ping, "Sends a ping and awaits its pong.") { $0.action = .ping($1) },
            Setting("close", CloseTable.type, "Closes the connection; the last step.") {
                $0.action = .close($1)
            },
            Setting(
                "timeout",
                .duration(),
                "The longest duration of the step; without it, only silence ends the step."
            ) { $0.timeout = $1 },
        ],
        exactlyOneOf: ["send", "receive", "ping", "close"]
    )

    /// The most steps of a task.
    private static let mostSteps = 10_000

    static let steps = ValueType<[WebSocketStepDraft]>(
        .nonEmptyList(.mapping(table.keys))
    ) { reader, field in
        guard reader.isList(field) else { return nil }
        let nodes = Array(reader.document.elements(of: field.node))
        guard (1...mostSteps).contains(nodes.count) else {
            let fault =
                nodes.isEmpty ? "the list is empty" : "there are more than \(mostSteps) steps"
            reader.report(.outOfRange, "`\(field.name)`: \(fault)", at: field.node)
            return nil
        }
        let errors = reader.faults.log.errorCount
        var steps: [WebSocketStepDraft] = []
        var size = 0
        for node in nodes {
            if case .close? = steps.last?.action {
                reader.report(
                    .conflictingKeys,
                    "`\(field.name)`: no step can follow `close`",
                    at: node
                )
                return nil
            }
            var step = WebSocketStepDraft()
            reader.apply(table, to: &step, in: Field(name: "step", key: field.key, node: node))
            size += step.size
            guard size <= JSONBody.largestBody else {
                JSONBody.reportTooLarge(field.name, at: field.key, &reader)
                return nil
            }
            steps.append(step)
        }
        checkCaptures(of: steps, field, &reader)
        return reader.faults.log.errorCount == errors ? steps : nil
    }

    /// Reports a name that two steps capture.
    private static func checkCaptures(
        of steps: [WebSocketStepDraft],
        _ field: Field,
        _ reader: inout Reader
    ) {
        var names: Set<String> = []
        for name in steps.flatMap(\.captures).map(\.name) where !names.insert(name).inserted {
            reader.report(
                .badID,
                "`\(field.name)`: several steps capture `\(name)`",
                at: field.key,
                help: "give each capture of a task its own name"
            )
        }
    }

    private static let ping = ValueType<[UInt8]>(.mapping(pingTable.keys)) { reader, field in
        var payload: [UInt8] = []
        reader.apply(pingTable, to: &payload, in: field)
        return payload
    }

    static let pingTable = SettingTable<[UInt8]>(
        "ping",
        [
            Setting(
                "payload",
                ValueType<String>(.text(pattern: nil)) { reader, field in
                    guard let text = BodyText.bodyText(field, &reader) else { return nil }
                    return reader.parsed(text, of: field) { text throws(ValueFault) in
                        guard text.utf8.count <= 125 else {
                            throw ValueFault(
                                .outOfRange,
                                "a ping has at most 125 bytes (RFC 6455 §5.5), this one "
                                    + "\(text.utf8.count)"
                            )
                        }
                        return text
                    }
                },
                default: "empty",
                "At most 125 bytes, which the pong repeats."
            ) { $0 = Array($1.utf8) }
        ]
    )
}

// MARK: - Messages

extension WebSocketStepTable {
    private static let send = ValueType<SendDraft>(.mapping(sendTable.keys)) { reader, field in
        var draft = SendDraft()
        let errors = reader.faults.log.errorCount
        reader.values.isReadingBody = true
        reader.apply(sendTable, to: &draft, in: field)
        reader.values.isReadingBody = false
        guard reader.faults.log.errorCount == errors else { return nil }
        return draft
    }

    static let sendTable = SettingTable<SendDraft>(
        "send",
        [
            Setting("text", .bodyText, "A text message.") {
                $0.message = OutgoingMessage(.text, .bytes(Array($1.utf8)))
            },
            Setting("json", json, "Any YAML value, sent as a text message with JSON.") {
                $0.message = OutgoingMessage(.text, .bytes($1))
            },
            Setting("base64", base64, "A binary message, written in Base64.") {
                $0.message = OutgoingMessage(.binary, .bytes($1))
            },
            Setting(
                "file",
                ValueType(.text(pattern: nil)) { PathType.existingFile($1, &$0) },
                "A file whose bytes are the message, relative to the job file's folder."
            ) { $0.message = OutgoingMessage(.binary, .file(path: $1.path)) },
            Setting(
                "type",
                .choice(),
                default: "binary",
                onlyWith: "file",
                "Whether the message from a file is `text` or `binary`."
            ) { $0.type = $1 },
            Setting(
                "count",
                .integer(1...1_000_000_000),
                default: "1",
                "How many times the step sends the message."
            ) { $0.count = $1 },
        ],
        exactlyOneOf: ["text", "json", "base64", "file"],
        shorthand: Shorthand { _ in "text" }
    )

    private static let json = ValueType<[UInt8]>(.anything) { reader, field in
        JSONBody.json(field, JSONFormatting(), isSent: true, &reader)
    }

    private static let base64 = ValueType<[UInt8]>(
        .text(pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
    ) { reader, field in
        guard let text = BodyText.bodyText(field, &reader) else { return nil }
        // A value that is known later has a stand-in here.
        if !reader.isReadingAgain, reader.document.hasInterpolation(field.node) { return [] }
        guard let bytes = Base64.decode(text.utf8) else {
            reader.report(
                .badValue,
                "`\(field.name)`: the text is not Base64 (RFC 4648 §4)",
                at: field.node
            )
            return nil
        }
        return bytes
    }
}
