internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// A `receive` step while it is read.
struct ReceiveDraft: Sendable {
    /// The setting of `until`.
    enum Until: Sendable {
        case closed
        case match(MessageExpectation)
    }

    var count: Int?
    var until: Until?
    var time: Duration?
    var expectation = ExpectedMessageDraft()
    var captures: [Capture] = []
}

/// `expect` and `until` of a step while they are read.
struct ExpectedMessageDraft: Sendable {
    var message = MessageExpectation()
    var closeCodes: [Int] = []
}

/// `receive`: how a step takes messages.
enum ReceiveTable {
    static let table = SettingTable<ReceiveDraft>(
        "receive",
        [
            Setting(
                "count",
                .integer(1...1_000_000_000),
                default: .words("1; none with `until` or `for`"),
                "The step ends after so many messages."
            ) { $0.count = $1 },
            Setting(
                "until",
                until,
                "The step ends after the first message that meets these conditions, or with "
                    + "`closed` when the server closes the connection."
            ) { $0.until = $1 },
            Setting(
                "for",
                .duration(),
                "The step ends after this time, however many messages have arrived."
            ) { $0.time = $1 },
            Setting(
                "expect",
                expected,
                "The requirements for each message; with `until` conditions, for the message that "
                    + "meets them."
            ) { $0.expectation = $1 },
            Setting(
                "capture",
                CaptureTable.type,
                "Named values from the last message, for `${task.ID.name}` in later tasks."
            ) { $0.captures = $1 },
        ]
    )

    static let type = ValueType<Receiving>(.mapping(table.keys)) { reader, field in
        var draft = ReceiveDraft()
        reader.apply(table, to: &draft, in: field)
        check(draft, field, &reader)
        let end: Receiving.End =
            switch draft.until {
            case .closed: .closed
            case .match(let expectation): .match(expectation)
            case nil: draft.time.map { .time($0) } ?? .count(draft.count ?? 1)
            }
        return Receiving(
            until: end,
            expecting: draft.expectation.message,
            closeCodes: draft.expectation.closeCodes.map { UInt16($0) },
            captures: draft.captures
        )
    }.faultless

    /// Reports keys that exclude each other, and captures that messages do not have.
    private static func check(_ draft: ReceiveDraft, _ field: Field, _ reader: inout Reader) {
        let ends = [
            ("count", draft.count != nil), ("until", draft.until != nil),
            ("for", draft.time != nil),
        ].filter(\.1).map(\.0)
        if ends.count > 1 {
            reader.report(
                .conflictingKeys,
                "`\(ends[0])` and `\(ends[1])`\(reader.context) exclude each other",
                at: reader.document.value(of: field.node, for: ends[1])?.key ?? field.key,
                help: "a step has one end"
            )
        }
        if !draft.expectation.closeCodes.isEmpty {
            if case .closed? = draft.until {
            } else {
                reader.report(
                    .conflictingKeys,
                    "`closeCode` needs `until: closed`",
                    at: reader.document.value(of: field.node, for: "expect")?.key ?? field.key
                )
            }
        }
        reader.checkHeaderless(draft.captures, of: "a message", in: field)
    }

    // MARK: Expectations

    private static let until = ValueType<ReceiveDraft.Until>(
        .either(.choice(["closed"]), .mapping(conditions.keys))
    ) { reader, field in
        guard reader.document.kind(of: field.node) == .scalar else {
            var message = MessageExpectation()
            let isFaultless = reader.isFaultless {
                $0.apply(conditions, to: &message, in: field)
            }
            if message.isEmpty, isFaultless {
                reader.report(
                    .outOfRange,
                    "`\(field.name)`: the mapping has no condition",
                    at: field.node
                )
                return nil
            }
            return .match(message)
        }
        guard let text = reader.text(field) else { return nil }
        guard text == "closed" else {
            reader.reportChoice(field, text, names: ["closed"])
            return nil
        }
        return .closed
    }

    private static let expected = ValueType<ExpectedMessageDraft>(
        .mapping(expectTable.keys)
    ) { reader, field in
        var draft = ExpectedMessageDraft()
        reader.apply(expectTable, to: &draft, in: field)
        return draft
    }

    /// The conditions for a message.
    private static let conditionSettings: [Setting<MessageExpectation>] = [
        Setting(
            "type",
            .choice(),
            default: .words("any"),
            "The form of the message: `text` or `binary`."
        ) {
            $0.type = $1
        },
        Setting("text", .text, "The whole text of the message.") { $0.text = $1 },
        Setting(
            "regex",
            CaptureTable.pattern,
            "A PCRE2 pattern that matches somewhere in the message."
        ) { $0.pattern = $1 },
        Setting(
            "json",
            ExpectedJSONType.type,
            "Values of a JSON message by their pointers, or a list of pointers that must exist."
        ) { $0.json = $1 },
    ]

    static let conditions = SettingTable<MessageExpectation>(
        "messageCondition",
        conditionSettings,
        shorthand: Shorthand { $0.hasBytePrefix("/") ? "json" : nil }
    )

    static let expectTable = SettingTable<ExpectedMessageDraft>(
        "expectedMessage",
        conditionSettings.map { $0.lifted { $1(&$0.message) } } + [
            Setting(
                "closeCode",
                .oneOrMore(of: .integer(1000...4999)),
                default: "[1000, 1001, 1005]",
                "The codes with which the server may close."
            ) { $0.closeCodes = $1 }
        ]
    )
}
