internal import Diagnostics
internal import JobFile
internal import TransferModel

/// What one entry of `secrets` says.
struct SecretDraft: Sendable {
    var source: SecretDeclaration.Source?
    var timeout: Duration?
    var timeoutKey: NodeID?
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
                ValueType(pattern: "^[A-Za-z_][A-Za-z0-9_]*$", parse: environmentName),
                "The environment variable that has the value."
            ) { $0.source = .environment($1) },
            Setting(
                "file",
                ValueType(.text(pattern: nil)) { reader, field in reader.path(field) },
                "The file that has the value, relative to the job file's folder; nobody else may read it."
            ) { $0.source = .file(path: $1.path, displayPath: $1.text) },
            Setting(
                "command",
                command,
                "A program and its arguments, run without a shell in the job file's folder: it writes the value."
            ) { $0.source = .command($1, timeout: usualTimeout) },
            Setting(
                "timeout",
                ValueType<(Duration, NodeID)>(ValueType<Duration>.duration().shape) {
                    reader,
                    field in
                    ValueType<Duration>.duration().read(&reader, field).map { ($0, field.key) }
                },
                default: "30s",
                "The longest time that `command` may take."
            ) { ($0.timeout, $0.timeoutKey) = $1 },
            Setting(
                "origins",
                .list(of: OriginType.confidential),
                default: "any https origin, and this machine",
                "Where the secret may go, such as `https://api.example.com`."
            ) { $0.origins = $1 },
            Setting(
                "allowInURL",
                .boolean,
                default: "false",
                "Whether the secret may stand in the path and the query of a URL."
            ) { $0.allowsURL = $1 },
        ],
        exactlyOneOf: ["env", "file", "command"]
    )

    private static func environmentName(_ text: String) throws(ValueFault) -> String {
        guard let first = text.utf8.first, !(48...57).contains(first),
            text.utf8.allSatisfy({ Expression.isNameByte($0, in: .env) })
        else {
            throw ValueFault(.badValue, "`\(text.excerpt)` is not the name of a variable")
        }
        return text
    }

    private static let command = ValueType<[String]>(.list(.text(pattern: nil))) { reader, field in
        guard let arguments = reader.elements(field, of: .text) else { return nil }
        guard let program = arguments.first, !program.isEmpty else {
            reader.report(.outOfRange, "`\(field.name)`: no program is named", at: field.node)
            return nil
        }
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else {
            reader.report(
                .badValue,
                "`\(field.name)`: a NUL character may not stand in an argument",
                at: field.node
            )
            return nil
        }
        return arguments
    }
}
