internal import TransferModel

/// The settings of `hooks`.
struct HooksDraft: Sendable {
    var onFinish: [String]?
    var onFailure: [String]?
    var timeout = HooksTable.usualTimeout
    var webhook: Webhook?
    /// The secrets of the webhook.
    var secrets = SecretSet()

    /// The programs in the order in which they run.
    var programs: [FinishHook] {
        [(FinishHook.Event.onFailure, onFailure), (.onFinish, onFinish)].compactMap {
            event,
            arguments in
            arguments.map { FinishHook(event, arguments: $0, timeout: timeout) }
        }
    }
}

/// `hooks`: programs and servers that are told of the run.
enum HooksTable {
    /// How long a hook may take that sets no `timeout`.
    static let usualTimeout = Duration.seconds(300)

    static let table = SettingTable<HooksDraft>(
        "hooks",
        [
            Setting(
                "onFinish",
                CommandType.type,
                "A program and its arguments, run without a shell in the job file's folder when "
                    + "every task has ended and the report is written."
            ) { $0.onFinish = $1 },
            Setting(
                "onFailure",
                CommandType.type,
                "The same, but only when the exit code of the run is not 0; it runs before "
                    + "`onFinish`."
            ) { $0.onFailure = $1 },
            Setting(
                "timeout",
                .duration(),
                default: "5m",
                "The longest time that `onFinish` may take, and `onFailure`."
            ) { $0.timeout = $1 },
            Setting(
                "webhook",
                WebhookTable.type,
                "A server that gets a summary of the run as JSON in a POST."
            ) { ($0.webhook, $0.secrets) = ($1.webhook, $1.secrets) },
        ]
    )
}
