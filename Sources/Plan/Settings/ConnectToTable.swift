internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// `connectTo` of a session: other servers for the hosts of its URLs.
enum ConnectToTable {
    static let setting = Setting<SessionConfiguration>(
        "connectTo",
        .list(of: rule),
        default: "[]",
        "Other servers for the hosts of URLs, reached without a proxy: names in certificates, "
            + "cookies, credentials and secrets stay those of the URL. The first entry that fits "
            + "applies."
    ) { $0.connectTo = $1 }

    static let table = SettingTable<ConnectRule>(
        "connectTo",
        [
            Setting(
                "host",
                host,
                isRequired: true,
                "The host in URLs; not a loopback name or address (`localhost`, `127.0.0.1`, "
                    + "`[::1]`)."
            ) { $0.host = $1 },
            Setting(
                "port",
                .integer(1...65_535),
                default: .words("every port"),
                "The port in URLs, the scheme's if they have none."
            ) { $0.port = $1 },
            Setting(
                "to",
                target,
                isRequired: true,
                "The host or IP address to connect to, with a port or with that of the URL."
            ) {
                $0.targetHost = $1.host
                $0.targetPort = $1.port
            },
        ]
    )

    private static let rule = ValueType(table, from: ConnectRule(host: "", targetHost: ""))

    /// Secrets may go to this machine without TLS, and must not leave it under its names.
    private static let host = ValueType<String>(OriginType.host.shape) { reader, field in
        guard let host = OriginType.host.read(&reader, field) else { return nil }
        guard !Origin(scheme: .http, host: host, port: 80).isLoopback else {
            reader.report(
                .badValue,
                "`\(field.name)`: `\(host.excerpt)` is this machine, and stays it",
                at: field.node,
                help: "write the other server in `url`"
            )
            return nil
        }
        return host
    }

    private static let target = ValueType<(host: String, port: Int?)>(
        .text(pattern: #"^([^/:?#@\s]+|\[[^/?#@\s]+\])(:[0-9]{1,5})?$"#, example: "192.0.2.1:8443")
    ) { reader, field in
        guard let text = reader.text(field) else { return nil }
        guard let server = ServerText.parse(text) else {
            let fault = ValueFault(
                .badURL,
                "`\(text.excerpt)` is not a host with or without a port",
                help: "write it as in `staging.example.com`, `192.0.2.1:8443` or `[2001:db8::1]`"
            )
            reader.report(fault, of: field)
            return nil
        }
        return server
    }
}
