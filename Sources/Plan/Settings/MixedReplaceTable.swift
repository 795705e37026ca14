internal import TransferModel

/// `mixedReplace`: the rule for the parts of a `multipart/x-mixed-replace` response.
enum MixedReplaceTable {
    static let table = SettingTable<MixedReplaceRule>(
        "mixedReplace",
        [
            Setting(
                "keep",
                .choice(),
                default: "last",
                "The body of the task: the `last` part, or `all` parts as lines of JSON."
            ) { $0.keep = $1 },
            Setting(
                "stopAfter",
                .integer(1...1_000_000),
                default: "all parts of the server",
                "The number of whole parts after which the task ends."
            ) { $0.stopAfter = $1 },
        ],
        shorthand: Shorthand { MixedReplaceRule.Kept(rawValue: $0) == nil ? nil : "keep" }
    )

    static let type = ValueType(table, from: MixedReplaceRule())
}
