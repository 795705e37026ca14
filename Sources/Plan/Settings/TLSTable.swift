internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `tls` of a session: TLS versions and the trust in servers.
enum TLSTable {
    /// The key itself, whose mapping is checked as a whole after it is read.
    static let setting = Setting<SessionConfiguration>(
        KeyDescription(
            name: "tls",
            summary: "TLS versions and the trust in servers.",
            default: nil,
            isRequired: false,
            shape: .mapping(table.keys)
        )
    ) { session, reader, field in
        reader.apply(table, to: &session.tls, in: field)
        checkVersions(of: session.tls, field, &reader)
    }

    static let table = SettingTable<TLSConfiguration>(
        "tls",
        [
            Setting(
                "minimumVersion",
                .choice(),
                default: "1.2",
                "The oldest TLS version that runner offers."
            ) { $0.minimumVersion = $1 },
            Setting("maximumVersion", .choice(), "The newest TLS version that runner offers.") {
                $0.maximumVersion = $1
            },
            Setting(
                "caFile",
                PathType.existingType,
                default: .words("the system's store"),
                "A PEM file of the root certificates to trust."
            ) { $0.caFile = $1.path },
            Setting(
                "pinnedPublicKeys",
                .nonEmptyList(
                    of: ValueType(
                        pattern: PublicKeyPinText.pattern,
                        example: PublicKeyPinText.example,
                        parse: PublicKeyPinText.parse
                    )
                ),
                "The server must have one of these keys: `sha256//` and base64."
            ) { $0.pinnedPublicKeys = $1 },
            Setting(
                "serverTrust",
                serverTrust,
                default: "system",
                "How runner verifies certificates; `insecureAcceptAny` turns verification off."
            ) { $0.serverTrust = $1 },
            Setting(
                "closeNotify",
                .choice(),
                default: "required",
                "`optional` accepts bodies whose end is the end of the connection, "
                    + "even without TLS close_notify."
            ) { $0.closeNotify = $1 },
        ]
    )

    /// The value must be written out: the caller of the run chooses filled-in values, and the job
    /// file would not show them.
    private static let serverTrust = ValueType<TLSConfiguration.ServerTrust>(
        .choice(TLSConfiguration.ServerTrust.allCases.map(\.rawValue))
    ) { reader, field in
        guard !reader.document.hasInterpolation(field.node) else {
            reader.report(
                .badValue,
                "`\(field.name)` must be written out: a variable may not decide which servers to "
                    + "trust",
                at: field.node
            )
            return nil
        }
        let choice = ValueType<TLSConfiguration.ServerTrust>.choice()
        guard let trust = choice.read(&reader, field) else { return nil }
        if trust == .insecureAcceptAny { warnOfAnyServer(field, &reader) }
        return trust
    }
}

extension TLSTable {
    private static func warnOfAnyServer(_ field: Field, _ reader: inout Reader) {
        reader.faults.log.warn(
            .unverifiedServer,
            "an attacker between this machine and the server can read and change everything: "
                + "`\(field.name)` accepts any certificate",
            at: reader.document.range(of: field.node),
            help: "to trust your own server, name its authority's certificate in `caFile`"
        )
    }

    /// Reports versions of which none is left to offer, whichever of the two comes from `defaults`.
    private static func checkVersions(
        of tls: TLSConfiguration,
        _ field: Field,
        _ reader: inout Reader
    ) {
        guard let maximum = tls.maximumVersion, maximum < tls.minimumVersion else { return }
        let value =
            reader.document.value(of: field.node, for: "maximumVersion")
            ?? reader.document.value(of: field.node, for: "minimumVersion")
        reader.report(
            .conflictingKeys,
            "no TLS version is left: `maximumVersion` \(maximum.rawValue) is below "
                + "`minimumVersion` "
                + tls.minimumVersion.rawValue,
            at: value?.value ?? field.node
        )
    }
}
