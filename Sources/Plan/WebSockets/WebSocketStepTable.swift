internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A `send` step while it is read.
struct SendDraft: Sendable {
    var message: OutgoingMessage?
    var type: MessageType?
    var count = 1

    /// The action of the step; nil before its message is read.
    var action: WebSocketStep.Action? {
        guard var message else { return nil }
        message.type = type ?? message.type
        return .send(message, count: count)
    }
}

/// `steps` of a WebSocket task.
enum WebSocketStepTable {
    static let table = SettingTable<StepDraft<WebSocketStep>>(
        "webSocketStep",
        [
            Setting("send", send, "Sends a message.") {
                $0.action = $1.action
                $0.size = $1.message?.content.size ?? 0
            },
            Setting("receive", ReceiveTable.type, "Takes messages of the server.") {
                $0.action = .receive($1)
                $0.captures = $1.captures
            },
            Setting("ping", ping, "Sends a ping and awaits its pong.") { $0.action = .ping($1) },
            Setting("close", CloseTable.type, "Closes the connection; the last step.") {
                $0.action = .close($1)
            },
            StepDraft<WebSocketStep>.timeoutSetting,
        ],
        exactlyOneOf: ["send", "receive", "ping", "close"]
    )

    static let steps: ValueType<[StepDraft<WebSocketStep>]> =
        StepList.type(table, in: WebSocketOrder.self)

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
                CloseTable.text("a ping", limit: 125),
                default: .words("empty"),
                "At most 125 bytes, which the pong repeats."
            ) { $0 = Array($1.utf8) }
        ]
    )
}

// MARK: - Messages

extension WebSocketStepTable {
    private static let send = ValueType<SendDraft>(.mapping(sendTable.keys)) { reader, field in
        reader.sent(sendTable, SendDraft(), in: field)
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
            Setting("base64", .base64, "A binary message, written in Base64.") {
                $0.message = OutgoingMessage(.binary, .bytes($1))
            },
            Setting(
                "file",
                PathType.existingType,
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
}

/// Finds steps after the last one, and names that several steps capture.
private struct WebSocketOrder: StepOrder {
    private var hasClosed = false
    private var captures: Set<String> = []

    var faultOfMore: String? { hasClosed ? "no step can follow `close`" : nil }

    mutating func check(
        _ step: StepDraft<WebSocketStep>,
        _ list: Field,
        at node: NodeID,
        _ reader: inout Reader
    ) {
        if case .close? = step.action { hasClosed = true }
        reader.checkNames(of: step.captures, &captures, of: list, at: node)
    }
}

/// `close`: how a step closes the connection.
enum CloseTable {
    static let table = SettingTable<ClosingRule>(
        "close",
        [
            Setting(
                "code",
                code,
                default: "1000",
                "The code of the Close frame: 1000 to 1003, 1007 to 1014 or 3000 to 4999."
            ) { $0.code = UInt16($1) },
            Setting(
                "reason",
                text("a reason", limit: 123),
                default: .words("empty"),
                "The reason of the Close frame, at most 123 bytes."
            ) { $0.reason = $1 },
            Setting(
                "expect",
                expectTable,
                "The requirements for the server's Close frame."
            ) { $1(&$0.expectedCodes) },
        ]
    )

    static let expectTable = SettingTable<[UInt16]>(
        "expectedClose",
        [
            Setting(
                "closeCode",
                .oneOrMore(of: .integer(1000...4999)),
                default: .words("the code of the step, 1000, 1001 or 1005"),
                "The codes with which the server may close."
            ) { $0 = $1.map { UInt16($0) } }
        ]
    )

    static let type = ValueType<ClosingRule>(.mapping(table.keys)) { reader, field in
        var rule = ClosingRule()
        reader.apply(table, to: &rule, in: field)
        return rule
    }

    /// The text of a control frame.
    static func text(_ what: String, limit: Int) -> ValueType<String> {
        ValueType(.text(pattern: nil)) { reader, field in
            guard let text = BodyText.bodyText(field, &reader) else { return nil }
            return reader.parsed(text, of: field) { text throws(ValueFault) in
                guard text.utf8.count <= limit else {
                    throw ValueFault(
                        .outOfRange,
                        "\(what) has at most \(limit) bytes (RFC 6455 §5.5), this one "
                            + "\(text.utf8.count)"
                    )
                }
                return text
            }
        }
    }

    /// The codes that a frame may have (RFC 6455 §7.4).
    private static let code = ValueType<Int>(.integer(1000...4999)) { reader, field in
        guard let code = ValueType.integer(1000...4999).read(&reader, field) else { return nil }
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: return code
        default:
            reader.report(
                .outOfRange,
                "`\(field.name)`: no Close frame may have the code \(code) (RFC 6455 §7.4)",
                at: field.node
            )
            return nil
        }
    }
}
