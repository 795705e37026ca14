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
                "What the session keeps on disk: `default` keeps cookies in the state folder and "
                    + "responses in the cache folder, `ephemeral` nothing, `background` cookies "
                    + "and the progress of each transfer."
            ) { $0.kind = $1 },
            Setting(
                "identifier",
                IdentifierText.type,
                exactlyWhere: .init(key: "configuration", value: "background"),
                "The name of a background session, under which its transfers continue across runs "
                    + "of the job."
            ) { $0.identifier = $1 },
            Setting(
                "sessionDescription",
                .text,
                "A description of the session, shown with its tasks in reports."
            ) { $0.sessionDescription = $1 },
        ] + shared
    )

    /// The keys that `defaults` may also have.
    static let shared: [Setting<SessionConfiguration>] =
        [
            Setting(
                "timeoutIntervalForRequest",
                .durationOrUnlimited,
                default: "60s",
                "The longest time without a byte in either direction."
            ) { $0.timeoutIntervalForRequest = $1 },
            Setting(
                "timeoutIntervalForResource",
                .durationOrUnlimited,
                default: "7d",
                "The longest duration of a task, with all attempts and waits."
            ) { $0.timeoutIntervalForResource = $1 },
            Setting(
                "connectTimeout",
                .duration(),
                default: "30s",
                "The longest time to resolve, connect and finish TLS for one connection."
            ) { $0.connectTimeout = $1 },
            ConnectToTable.setting,
            Setting(
                "httpMaximumConnectionsPerHost",
                .integer(1...10_000),
                default: "6",
                "The most connections to one host at the same time."
            ) { $0.httpMaximumConnectionsPerHost = $1 },
            Setting(
                "httpAdditionalHeaders",
                HeaderFieldsType.session,
                "Header fields of every request; a task's own field of the same name takes "
                    + "precedence."
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
                "Whether requests carry the session's cookies."
            ) { $0.httpShouldSetCookies = $1 },
            Setting(
                "httpCookieAcceptPolicy",
                .choice(),
                default: "onlyFromMainDocumentDomain",
                "Which cookies of responses the session keeps: all, none, or those from the site "
                    + "of the task's URL."
            ) { $0.httpCookieAcceptPolicy = $1 },
            Setting(
                "httpCookieStorage",
                ValueType(pattern: IdentifierText.pattern) { text throws(ValueFault) in
                    text == "none" ? .none : .shared(try storageName(text))
                },
                default: .words("the session's own"),
                "The cookies of the session: sessions of the job with the same name share them; "
                    + "`none` sends and keeps no cookies."
            ) { $0.httpCookieStorage = $1 },
            Setting(
                "urlCredentialStorage",
                ValueType(pattern: IdentifierText.pattern, parse: storageName),
                default: .words("the session's own"),
                "Sessions of the job with the same name also use the `credentials` of each other."
            ) { $0.urlCredentialStorage = $1 },
            Setting(
                "allowsReadAccessTo",
                .nonEmptyList(of: PathType.type),
                "The folders whose files `file` URLs may name, relative to the job file's folder."
            ) { $0.readableFolders = $1.map(\.path) },
            Setting("minimumRate", minimumRate, "A slower transfer fails with kind `stalled`.") {
                $0.minimumRate = $1
            },
            Setting(
                "httpVersion",
                .choice(),
                default: "automatic",
                "Over TLS, `automatic` uses HTTP/2 where libcurl (8.0 or newer) and the server "
                    + "support it, and `\"2\"` also with libcurl 7.88; without TLS it is always 1.1."
            ) { $0.httpVersion = $1 },
            Setting(
                "credentials",
                CredentialTable.list,
                default: "[]",
                "The credentials of the session, each with the servers that get it."
            ) { $0.credentials = $1 },
            CacheTable.setting,
            CacheTable.requestPolicy,
            TLSTable.setting,
            FileServerTables.ftp,
            FileServerTables.ssh,
            ProxyTable.setting,
            LimitsTable.setting,
            ProtocolTable.setting,
        ] + NetworkAccessTable.session

    private static func storageName(_ text: String) throws(ValueFault) -> String {
        try IdentifierText.parse(text, noun: "storage")
    }

    /// Both keys are required, so a session's mapping replaces the mapping in `defaults`.
    private static let minimumRate = ValueType(
        minimumRateTable,
        from: MinimumRate(bytesPerSecond: 0, over: .zero)
    )

    static let minimumRateTable = SettingTable<MinimumRate>(
        "minimumRate",
        [
            Setting(
                "rate",
                ValueType(
                    pattern: ByteRateText.pattern,
                    example: ByteRateText.example,
                    parse: ByteRateText.parse
                ),
                isRequired: true,
                "The lowest rate, such as `100B/s`."
            ) { $0.bytesPerSecond = $1 },
            Setting(
                "over",
                .duration(),
                isRequired: true,
                "The time over which the rate is "
                    + "measured."
            ) { $0.over = $1 },
        ]
    )
}
