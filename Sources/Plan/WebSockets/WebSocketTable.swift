internal import Diagnostics
internal import JobFile
internal import TransferModel

/// The settings of a WebSocket task beside those of its request, while they are read.
struct WebSocketDraft: Sendable {
    var subprotocols: [String] = []
    var maximumMessageSize = WebSocketSpec.usualMessageSize
    var steps: [WebSocketStep] = []

    /// The absolute paths of the files that steps send.
    var files: [String] {
        steps.compactMap { step in
            if case .send(let message, _) = step.action { message.content.path } else { nil }
        }
    }

    /// The conversation; without a `close` step it gets an implied one.
    var spec: WebSocketSpec {
        var steps = steps
        if steps.last?.name != .close {
            steps.append(WebSocketStep(.close(ClosingRule(isImplied: true))))
        }
        return WebSocketSpec(
            subprotocols: subprotocols,
            maximumMessageSize: maximumMessageSize,
            steps: steps
        )
    }
}

/// `webSockets`: the settings of their tasks.
enum WebSocketTable {
    static let table = SettingTable<TaskDraft>(
        "webSocket",
        [
            TaskTable.sessionName,
            Setting("url", url, isRequired: true, "An absolute ws or wss URL.") { $0.url = $1 },
        ] + TaskTable.general + [
            Setting(
                "protocols",
                .list(of: subprotocol),
                default: "[]",
                "The subprotocols that the task speaks, preferred ones first."
            ) { $0.webSocket.subprotocols = $1 },
            Setting(
                "maximumMessageSize",
                messageSize,
                default: "1MiB",
                "The largest message that the task receives; a larger one ends the connection "
                    + "with 1009."
            ) { $0.webSocket.maximumMessageSize = $1 },
            Setting(
                "steps",
                WebSocketStepTable.steps,
                isRequired: true,
                "What the task does, one step after the other."
            ) { draft, steps in
                draft.webSocket.steps = steps.compactMap(\.step)
                draft.expectation.captures = steps.flatMap(\.captures)
            },
            Setting(
                "responseTo",
                PathType.destinationType,
                "The file for the received messages as JSON lines, relative to the job file's "
                    + "folder."
            ) { $0.destination = $1 },
        ] + [TaskTable.retry, TaskTable.redirects] + NetworkAccessTable.task
    )

    static let url = ValueType<TransferURL>(
        .text(pattern: WebSocketURLText.pattern, example: "wss://example.com/")
    ) {
        $0.url($1) { text, _ throws(ValueFault) in try WebSocketURLText.parse(text) }
    }.checkingText()

    private static let subprotocol = ValueType<String>(pattern: HeaderRule.namePattern) {
        name throws(ValueFault) in
        do throws(ValueFault) {
            try HeaderRule.checkToken(name)
        } catch {
            throw ValueFault(
                .badValue,
                "`\(name.excerpt)` is not the name of a subprotocol",
                help: error.help
            )
        }
        return name
    }

    private static let messageSize = ValueType<Int>(
        pattern: ByteSizeText.pattern,
        example: ByteSizeText.example
    ) {
        text throws(ValueFault) in
        let size = try ByteSizeText.parse(text)
        guard size <= largestMessage else {
            throw ValueFault(.outOfRange, "the largest message is 1GiB")
        }
        return Int(size)
    }

    /// A message is in memory as a whole.
    private static let largestMessage: Int64 = 1 << 30
}
