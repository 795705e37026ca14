internal import TransferModel

/// `sessions`: settings that tasks share, named as in `URLSessionConfiguration`.
enum SessionTable {
    static let table = SettingTable<SessionConfiguration>(
        "session",
        [
            Setting(
                "configuration",
                .choice(later: ["background"]),
                default: "default",
                "What is kept on disk. In this version both do the same: no cookies, no cache yet."
            ) { $0.kind = $1 },
            .notYet("identifier"),
        ] + shared
    )

    /// What may also stand in `defaults`.
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
            Setting("minimumRate", minimumRate, "Slower than this is a failure of kind `stalled`.")
            {
                $0.minimumRate = $1
            },
            Setting("tls", tls, "Which TLS is spoken and whom it trusts.") { $1(&$0.tls) },
            ProxyTable.setting,
        ] + later.map(Setting.notYet)

    private static let later = [
        "waitsForConnectivity", "allowsCellularAccess", "allowsExpensiveNetworkAccess",
        "allowsConstrainedNetworkAccess", "networkServiceType", "multipathServiceType",
        "isDiscretionary", "httpVersion", "httpShouldSetCookies", "httpCookieAcceptPolicy",
        "urlCache", "requestCachePolicy", "credentials", "limits",
        "unclassifiedInterfaces", "protocolClasses",
    ]

    static let tls = SettingTable<TLSConfiguration>(
        "tls",
        [
            Setting(
                "minimumVersion",
                .choice(),
                default: "1.2",
                "Older versions are not offered."
            ) { $0.minimumVersion = $1 },
            Setting(
                "caFile",
                ValueType(.text(pattern: nil)) { $0.existingFile($1) },
                default: "the system's store",
                "A PEM file of the roots to trust."
            ) { $0.caFile = $1.path },
            .notYet("maximumVersion"), .notYet("pinnedPublicKeys"), .notYet("serverTrust"),
        ]
    )

    /// Both keys are required, so nothing is merged into one that `defaults` has.
    private static let minimumRate = ValueType<MinimumRate>(
        .mapping(minimumRateTable.keys)
    ) { reader, field in
        let errors = reader.errorCount
        var rate = MinimumRate(bytesPerSecond: 0, over: .zero)
        reader.apply(minimumRateTable, to: &rate, in: field)
        return reader.errorCount == errors ? rate : nil
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
