/// A setting that holds, and its source.
struct SettingRow: Sendable, Hashable {
    /// The keys down to it, such as `retry.backoff.initial`.
    var path: String
    /// The value on one line; values from the environment stay expressions.
    var value: String
    /// 1-based line of its key; nil when it is the default.
    var line: Int?
    /// The session that the value is taken from; nil when it is the setting's own.
    var session: String?
    /// Whether the environment decides about the value, though the job file does not name it.
    var isOfEnvironment = false

    /// Whether the job file or the environment sets the value.
    var isChosen: Bool { line != nil || isOfEnvironment }
}
