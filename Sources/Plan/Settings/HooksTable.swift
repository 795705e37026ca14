internal import JobFile
internal import SystemKit
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
                program,
                "A program and its arguments, run without a shell in the job file's folder when "
                    + "every task has ended and the report is written."
            ) { $0.onFinish = $1 },
            Setting(
                "onFailure",
                program,
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

    /// A program and its arguments, and no URL.
    private static let program = ValueType<[String]>(CommandType.type.shape) { reader, field in
        let isURL =
            reader.document.kind(of: field.node) == .scalar
            && reader.document.text(of: field.node).containsBytes("://")
        guard isURL else { return CommandType.type.read(&reader, field) }
        reader.report(
            .wrongType,
            "`\(field.name)`: expected a program and its arguments, found a URL",
            at: field.node,
            help: "to post to a URL, write `webhook: { url: … }`"
        )
        return nil
    }
}

/// `webhook` of `hooks`.
enum WebhookTable {
    /// A `webhook` mapping while it is read.
    struct Draft: Sendable {
        var url: (value: TransferURL, field: Field)?
        var headers: [HeaderField] = []
        var condition = Webhook.Condition.failure
        var timeout = Duration.seconds(30)
    }

    static let table = SettingTable<Draft>(
        "webhook",
        [
            Setting(
                "url",
                URLType.ofWebhook.withField,
                isRequired: true,
                "The http or https URL that the summary is posted to."
            ) { $0.url = ($1.value, $1.field) },
            Setting(
                "on",
                .choice(),
                default: "failure",
                "`failure` posts when the exit code of the run is not 0, `always` after each run."
            ) { $0.condition = $1 },
            Setting("headers", HeaderFieldsType.task, "Header fields of the request.") {
                $0.headers = $1
            },
            Setting(
                "timeout",
                .duration(),
                default: "30s",
                "The longest time for the request and its repetitions."
            ) { $0.timeout = $1 },
        ],
        shorthand: Shorthand(advice: "write `{ url: … }`")
    )

    static let type = ValueType<(webhook: Webhook, secrets: SecretSet)>(
        .mapping(table.keys)
    ) { reader, field in
        let known = reader.secretUses.count
        let draft = reader.value(Draft(), with: table, in: field)
        // They are no secrets of a session or a task.
        let uses = Array(reader.secretUses.dropFirst(known))
        reader.secretUses.removeLast(uses.count)
        guard let draft, let url = draft.url else { return nil }
        var secrets = SecretSet()
        for use in uses {
            secrets.formUnion(use.secrets)
            // The secrets of the URL were checked when it was read.
            guard use.place != .url else { continue }
            reader.checkSecrets(
                use.secrets,
                sentTo: url.value.origin,
                at: url.field.node,
                from: use.node
            )
        }
        let webhook = Webhook(
            url: url.value,
            headers: draft.headers,
            condition: draft.condition,
            timeout: draft.timeout,
            hasSecrets: !secrets.isEmpty
        )
        return (webhook, secrets)
    }.faultless
}
