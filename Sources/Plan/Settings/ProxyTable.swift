internal import JobFile
internal import TransferModel

/// The settings of one proxy.
struct ProxyDraft: Sendable {
    var server: ProxyServer?
    var user: CredentialText?
    var password: CredentialText?
    var method: (value: ProxyCredentials.Method, field: Field)?
    var allowsPlainText = false
}

/// `proxy` of a session.
enum ProxyTable {
    /// The rule itself; a mapping is merged into one that `defaults` has.
    static let setting = Setting<SessionConfiguration>(
        KeyDescription(
            name: "proxy",
            summary:
                "The proxies between runner and the servers; or `none` for direct connections.",
            default: .value(environment),
            isRequired: false,
            shape: .either(.choice([environment, none]), .mapping(table.keys))
        )
    ) { session, reader, field in ProxyType.proxy(field, into: &session.proxy, &reader) }

    static let environment = "environment"
    static let none = "none"

    static let table = SettingTable<ProxyServers>(
        "proxy",
        [
            Setting("http", server(), "The proxy for http URLs.") { $0.http = $1 },
            Setting("https", server(), "The proxy for https URLs.") { $0.https = $1 },
            Setting(
                "socks",
                server(isSOCKS: true),
                "The proxy for URLs whose scheme has no proxy here."
            ) { $0.socks = $1 },
            Setting(
                "exceptions",
                .list(of: exception),
                "Hosts, domains, addresses and networks to connect to directly."
            ) { $0.exceptions = ProxyExceptions($1.joined(separator: ",")) },
            Setting(
                "pac",
                ValueType(.text(pattern: nil)) { ProxyType.script($1, &$0) },
                "A proxy auto-configuration script, which chooses the proxy for each origin: a "
                    + "file, or an http or https URL."
            ) { $0.script = $1 },
        ]
    )

    static let server = SettingTable<ProxyDraft>(
        "proxyServer",
        [
            Setting(
                "url",
                ValueType(
                    pattern: ProxyURLText.pattern,
                    example: ProxyURLText.example,
                    parse: ProxyURLText.parse
                ),
                isRequired: true,
                "The URL of the proxy, such as `http://proxy.example.com:3128`."
            ) { $0.server = $1 },
            Setting("user", credential, "The user name for the proxy.") { $0.user = $1 },
            Setting("password", credential, "The password of `user`.") { $0.password = $1 },
            Setting(
                "method",
                ValueType<ProxyCredentials.Method>.choice().withField,
                default: "basic",
                "The authentication method; runner does not answer challenges for another method."
            ) { $0.method = $1 },
            Setting(
                "allowPlainText",
                .boolean,
                default: "false",
                "Whether a secret may go to the proxy over an unencrypted connection."
            ) { $0.allowsPlainText = $1 },
        ]
    )

    private static func server(isSOCKS: Bool = false) -> ValueType<ProxyServer> {
        let example = isSOCKS ? "socks5://proxy.example.com:1080" : ProxyURLText.example
        let url = Shape.text(pattern: ProxyURLText.pattern, example: example)
        return ValueType(.either(url, .mapping(server.keys))) { reader, field in
            ProxyType.proxyServer(field, isSOCKS: isSOCKS, &reader)
        }.faultless
    }

    private static let exception = ValueType(pattern: "^[^,\\s]+$", parse: ProxyURLText.exception)

    private static let credential = ValueType<CredentialText>(.credential) { reader, field in
        ProxyType.proxyCredential(field, &reader)
    }
}
