internal import Diagnostics
internal import TransferModel

/// `retry`: when a failed attempt is repeated.
enum RetryTable {
    static let table = SettingTable<RetryPolicy>(
        "retry",
        [
            Setting(
                "attempts",
                .integer(1...1000),
                default: "4",
                "The most attempts of a task; 1 means no retry."
            ) { $0.attempts = $1 },
            Setting("backoff", backoff, "How the wait before the next attempt grows.") {
                $1(&$0.backoff)
            },
            Setting(
                "budget",
                .durationOrUnlimited,
                default: "15m",
                "The longest time for all attempts and waits together."
            ) { $0.budget = $1 },
            Setting(
                "on",
                .list(of: condition),
                default: """
                    [dns, connect, tls, timeout, stalled, reset, truncated, integrity, \
                    408, 425, 429, 500, 502, 503, 504]
                    """,
                "The kinds of failure and the status codes that cause a retry."
            ) { policy, conditions in
                policy.conditions = Set(conditions.compactMap(\.kind))
                policy.statusCodes = conditions.compactMap(\.status)
            },
            Setting(
                "respectRetryAfter",
                .boolean,
                default: "true",
                "Whether a server's `Retry-After` overrides a shorter backoff."
            ) { $0.respectRetryAfter = $1 },
            Setting(
                "maximumRetryAfter",
                .duration(allowsZero: true),
                default: "5m",
                "The longest `Retry-After` to wait for; a longer one ends the task at once."
            ) { $0.maximumRetryAfter = $1 },
            Setting(
                "repeat",
                .choice(),
                default: "automatic",
                "Which requests runner may repeat: those with an idempotent method or an "
                    + "idempotency key, all, or none."
            ) { $0.repeat = $1 },
        ],
        shortForm: "attempts"
    )

    static let backoff = SettingTable<RetryPolicy.Backoff>(
        "backoff",
        [
            Setting(
                "initial",
                .duration(allowsZero: true),
                default: "1s",
                "The wait before the second attempt."
            ) { $0.initial = $1 },
            Setting(
                "factor",
                .number(1...100),
                default: "2",
                "The ratio of each wait to the previous "
                    + "wait."
            ) {
                $0.factor = $1
            },
            Setting(
                "maximum",
                .duration(allowsZero: true),
                default: "2m",
                "The longest wait."
            ) { $0.maximum = $1 },
            Setting(
                "jitter",
                .choice(),
                default: "full",
                "`full` chooses each wait at random between zero and its full length."
            ) { $0.jitter = $1 },
        ]
    )

    /// One entry of `on`.
    private enum Condition: Sendable {
        case failure(RetryPolicy.Condition)
        case answer(Int)

        var kind: RetryPolicy.Condition? {
            if case .failure(let kind) = self { kind } else { nil }
        }
        var status: Int? {
            if case .answer(let status) = self { status } else { nil }
        }
    }

    private static let condition = ValueType<Condition>(
        .either(
            .choice(RetryPolicy.Condition.allCases.map(\.rawValue)),
            .either(.integer(100...599), .text(pattern: StatusText.codePattern, example: "503"))
        )
    ) { reader, field in
        guard let text = reader.text(field) else { return nil }
        if let kind = RetryPolicy.Condition(rawValue: text) { return .failure(kind) }
        if let status = StatusText.code(text) { return .answer(status) }
        let names = RetryPolicy.Condition.allCases.map(\.rawValue)
        let fault = ValueFault(
            .badValue,
            "`\(text.excerpt)` is neither a kind of failure nor a status code",
            likely: NearestName.find(text, among: names),
            help: StatusText.isClass(text)
                ? "status codes are listed one by one, such as `500, 502, 503, 504`"
                : "the kinds are \(names.map { "`\($0)`" }.joined(separator: ", "))"
        )
        reader.report(fault, of: field)
        return nil
    }
}
