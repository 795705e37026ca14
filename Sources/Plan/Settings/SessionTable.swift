internal import TransferModel

/// `sessions`: settings that tasks share, named as in `URLSessionConfiguration`.
enum SessionTable {
    static let table = SettingTable<SessionConfiguration>(
        "session",
        [
            Setting(
                "configuration",
                .choice(),
                default: "default",
                "What is kept on disk: `default` keeps cookies in the state folder and responses in the cache folder, `ephemeral` nothing, `background` cookies and how far each transfer has come."
            ) { $0.kind = $1 },
            Setting(
                "identifier",
                IdentifierText.type,
                exactlyWhere: .init(key: "configuration", value: "background"),
                "The name under which a background session's transfers are kept over the runs of the job."
            ) { $0.identifier = $1 },
        ] + shared
    )

    /// The keys that `defaults` may also have.
    static let shared: [Setting<SessionConfiguration>] =
        [
            Setting(
                "timeoutIntervalForRequest",
                .durationOrUnlimited,
                default: "60s",
                "Longest silence: reset by every byte in either direction."
            ) { $0.timeoutIntervalForRequest = $1 },
            Setting(
                "timeoutIntervalForResource",
                .durationOrUnlimited,
                default: "7d",
                "Longest life of a task, all attempts and waits included."
            ) { $0.timeoutIntervalForResource = $1 },
            Setting(
                "connectTimeout",
                .duration(),
                default: "30s",
                "Resolve, connect and TLS of one connection."
            ) { $0.connectTimeout = $1 },
            Setting(
                "httpMaximumConnectionsPerHost",
                .integer(1...10_000),
                default: "6",
                "Connections to one host at the same time."
            ) { $0.httpMaximumConnectionsPerHost = $1 },
            Setting(
                "httpAdditionalHeaders",
                HeaderFieldsType.session,
                "Sent with every request; a task's own header of the same name wins."
            ) {
                $0.httpAdditionalHeaders = HeaderFieldsType.merge(
                    $1,
                    over: $0.httpAdditionalHeaders
                )
            },
            Setting(
                "httpShouldSetCookies",
                .boolean,
                default: "true",
                "Whether requests carry the cookies that the session has kept."
            ) { $0.httpShouldSetCookies = $1 },
            Setting(
                "httpCookieAcceptPolicy",
                .choice(),
                default: "onlyFromMainDocumentDomain",
                "Which cookies of responses are kept: all, none, or those of the site that the task asked first."
            ) { $0.httpCookieAcceptPolicy = $1 },
            Setting("minimumRate", minimumRate, "Slower than this is a failure of kind `stalled`.")
            {
                $0.minimumRate = $1
            },
            Setting(
                "httpVersion",
                .choice(),
                default: "automatic",
                "Over TLS: `automatic` takes HTTP/2 where libcurl (8.0 or newer) and the server have it; without TLS always 1.1."
            ) { $0.httpVersion = $1 },
            Setting(
                "credentials",
                CredentialTable.list,
                default: "[]",
                "What the session proves itself with, and to whom."
            ) { $0.credentials = $1 },
            CacheTable.setting,
            CacheTable.requestPolicy,
            TLSTable.setting,
            ProxyTable.setting,
        ] + NetworkAccessTable.session + later.map(Setting.notYet)

    private static let later = ["limits", "protocolClasses"]

    /// Both keys are required, so nothing is merged into one that `defaults` has.
    private static let minimumRate = ValueType<MinimumRate>(
        .mapping(minimumRateTable.keys)
    ) { reader, field in
        let errors = reader.faults.log.errorCount
        var rate = MinimumRate(bytesPerSecond: 0, over: .zero)
        reader.apply(minimumRateTable, to: &rate, in: field)
        return reader.faults.log.errorCount == errors ? rate : nil
    }

    static let minimumRateTable = SettingTable<MinimumRate>(
        "minimumRate",
        [
            Setting(
                "rate",
                ValueType(pattern: ByteRateText.pattern, parse: ByteRateText.parse),
                isRequired: true,
                "Bytes per second, such as `100B/s`."
            ) { $0.bytesPerSecond = $1 },
            Setting("over", .duration(), isRequired: true, "For how long.") { $0.over = $1 },
        ]
    )
}
