/// A setting that holds, and what set it.
struct SettingRow: Sendable, Hashable {
    /// The keys down to it, such as `retry.backoff.initial`.
    var path: String
    /// As it would be written on one line; what comes from the environment stays an expression.
    var value: String
    /// 1-based line of its key; nil when it is the default.
    var line: Int?
    /// The session that the value is taken from; nil when it is the setting's own.
    var session: String?
}
