/// A setting that holds, and what set it.
struct SettingRow: Sendable, Hashable {
    /// The keys down to it, such as `retry.backoff.initial`.
    var path: String
    /// The value on one line; values from the environment stay expressions.
    var value: String
    /// 1-based line of its key; nil when it is the default.
    var line: Int?
    /// The session that the value is taken from; nil when it is the setting's own.
    var session: String?
}
