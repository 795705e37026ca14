internal import JobFile
internal import TransferModel

/// `limits` of a session: the most traffic of its tasks together.
enum LimitsTable {
    static let setting = Setting<SessionConfiguration>(
        "limits",
        table,
        "The most traffic that the session's tasks may cause together."
    ) { $1(&$0.limits) }

    static let table = SettingTable<SessionLimits>(
        "limits",
        rates.map { $0.lifted { $1(&$0.rates) } } + [
            Setting(
                "timetable",
                .nonEmptyList(of: period),
                "Other limits at some times of day; the first entry whose window contains the "
                    + "time counts."
            ) { $0.timetable = $1 }
        ]
    )

    static let periodTable = SettingTable<SessionLimits.Period>(
        "limitsPeriod",
        [
            Setting(
                "window",
                DailyWindowText.type,
                isRequired: true,
                "The hours, in local time, when the entry counts."
            ) { $0.window = $1 }
        ] + rates.map { $0.lifted { $1(&$0.rates) } }
    )

    static let bandwidthTable = SettingTable<SessionLimits.Rates>(
        "bandwidth",
        [
            Setting("down", byteLimit, "The most bytes per second from servers.") { $0.down = $1 },
            Setting("up", byteLimit, "The most bytes per second to servers.") { $0.up = $1 },
        ]
    )

    private static let rates: [Setting<SessionLimits.Rates>] = [
        Setting(
            KeyDescription(
                name: "bandwidth",
                summary: "The most bytes per second in each direction, such as `20MiB/s`; or "
                    + "`unlimited`.",
                default: .value(unlimited),
                isRequired: false,
                shape: .either(byteLimit.shape, .mapping(bandwidthTable.keys))
            )
        ) { rates, reader, field in
            if reader.document.kind(of: field.node) == .mapping {
                reader.apply(bandwidthTable, to: &rates, in: field)
            } else if let limit = byteLimit.read(&reader, field) {
                (rates.down, rates.up) = (limit, limit)
            }
        },
        Setting(
            "requests",
            limit(RequestRateText.pattern, example: "10/s", RequestRateText.parse),
            default: .value(unlimited),
            "The most requests per time, evenly spaced, such as `10/s` or `30/m`; or `unlimited`."
        ) { $0.requests = $1 },
    ]

    private static let unlimited = "unlimited"
    private static let byteLimit = limit(ByteRateText.pattern, example: "5MB/s", ByteRateText.parse)

    /// A rate, or the word for none.
    private static func limit<Rate>(
        _ pattern: String,
        example: String,
        _ parse: @escaping @Sendable (String) throws(ValueFault) -> Rate
    ) -> ValueType<SessionLimits.Limit<Rate>> {
        ValueType(
            .either(.text(pattern: pattern, example: example), .choice([unlimited]))
        ) { reader, field in
            guard let text = reader.text(field) else { return nil }
            if text == unlimited { return .unlimited }
            return reader.parsed(text, of: field, parse).map { .rate($0) }
        }
    }

    private static let period = ValueType(
        periodTable,
        from: SessionLimits.Period(window: DailyWindow(start: 0, end: 0), rates: .init())
    )
}
