internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// One entry of `secrets`.
struct SecretDraft: Sendable {
    var source: SecretDeclaration.Source?
    /// Every variable named under `env`, also by a secret with a fault.
    var variables: [String] = []
    var timeout: Duration?
    var origins: [Origin]?
    var allowsURL = false
}

/// An entry of `secrets`.
enum SecretTable {
    /// How long a command may take that sets no `timeout`.
    static let usualTimeout = Duration.seconds(30)

    static let table = SettingTable<SecretDraft>(
        "secret",
        [
            Setting(
                "env",
                ValueType(
                    pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
                    example: "NAME",
                    parse: environmentName
                ),
                "The environment variable with the value."
            ) {
                $0.source = .environment($1)
                $0.variables.append($1)
            },
            Setting(
                "file",
                PathType.type,
                "The file with the value, relative to the job file's folder; only its owner may "
                    + "have access."
            ) { $0.source = .file(path: $1.path, displayPath: $1.text) },
            Setting(
                "command",
                CommandType.type,
                "A program and its arguments, run without a shell in the job file's folder; its "
                    + "output is the value."
            ) { $0.source = .command($1, timeout: usualTimeout) },
            Setting(
                "timeout",
                .duration(),
                default: "30s",
                onlyWith: "command",
                "The longest time that `command` may take."
            ) { $0.timeout = $1 },
            Setting(
                "origins",
                .list(of: OriginType.ofSecret),
                default: .words("any https origin, and this machine"),
                "The origins that may get the secret, such as `https://api.example.com`; those of "
                    + "`ftp` URLs may get it at the login alone."
            ) { $0.origins = $1 },
            Setting(
                "allowInURL",
                .boolean,
                default: "false",
                "Whether the secret may appear in the path and the query of a URL."
            ) { $0.allowsURL = $1 },
        ],
        exactlyOneOf: ["env", "file", "command"]
    )

    private static func environmentName(_ text: String) throws(ValueFault) -> String {
        guard let first = text.utf8.first, !first.isDigit,
            text.utf8.allSatisfy({ Expression.isNameByte($0, in: .env) })
        else {
            throw ValueFault(.badValue, "`\(text.excerpt)` is not the name of a variable")
        }
        return text
    }
}
