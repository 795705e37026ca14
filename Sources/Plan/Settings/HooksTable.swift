internal import TransferModel

/// The settings of `hooks`.
struct HooksDraft: Sendable {
    var onFinish: [String]?
    var timeout = HooksTable.usualTimeout

    /// nil when there is no hook to run.
    var finish: FinishHook? { onFinish.map { FinishHook(arguments: $0, timeout: timeout) } }
}

/// `hooks`: programs that are told of the run.
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
                "timeout",
                .duration(),
                default: "5m",
                onlyWith: "onFinish",
                "The longest time that `onFinish` may take."
            ) { $0.timeout = $1 },
        ]
    )
}
