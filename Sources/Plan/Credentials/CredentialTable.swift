internal import JobFile
internal import SystemKit
internal import TransferModel

/// One entry of `credentials`.
struct CredentialDraft: Sendable {
    var scope = ProtectionSpace.Scope.none
    /// The field of `origin` or `host`.
    var scopeField: Field?
    var realm: String?
    var challenge = Credential.ChallengeRule.skip
    var user: CredentialText?
    /// A password, a token, a secret key.
    var secret: CredentialText?
    var sessionToken: CredentialText?
    var region: String?
    var service: String?
    /// A netrc file or a certificate.
    var file: PathValue?
    var key: PathValue?

    /// The texts that may only go to the origins of their secrets.
    var texts: [CredentialText] { [user, secret, sessionToken].compactMap(\.self) }

    var login: Login? {
        guard let user, let secret else { return nil }
        return Login(user: user.text, password: Secret(secret.text))
    }
}

/// One value of `method` and the keys that go with it.
struct CredentialMethod: Sendable {
    /// The knowledge that an eavesdropper gains from a request with the credential.
    enum Exposure: Sendable {
        /// An eavesdropper can read the credential.
        case value
        /// An eavesdropper can guess the password offline.
        case guessable
        /// An eavesdropper learns nothing useful.
        case none
    }

    let name: String
    let exposure: Exposure
    let table: SettingTable<CredentialDraft>
    /// The proof from a mapping; nil for a mapping with faults.
    let proof: @Sendable (CredentialDraft, Reader) -> Credential.Proof?

    init(
        _ name: String,
        _ exposure: Exposure,
        _ settings: [Setting<CredentialDraft>],
        namesItsHosts: Bool = false,
        proof: @escaping @Sendable (CredentialDraft, Reader) -> Credential.Proof?
    ) {
        self.name = name
        self.exposure = exposure
        let method = ValueType<String>(.choice([name])) { reader, field in reader.text(field) }
        table = SettingTable(
            name + "Credential",
            [Setting("method", method, isRequired: true, "The authentication method.") { _, _ in }]
                + (namesItsHosts ? [] : CredentialTable.scope) + settings,
            exactlyOneOf: namesItsHosts ? [] : ["origin", "host"]
        )
        self.proof = proof
    }
}

/// An entry of `credentials`: its keys depend on its `method`.
enum CredentialTable {
    static let methods = [
        CredentialMethod("basic", .value, [realm, challenge, basicUser, password]) { draft, _ in
            draft.login.map { .basic($0) }
        },
        CredentialMethod("digest", .guessable, [realm, user, password]) { draft, _ in
            draft.login.map { .digest($0) }
        },
        CredentialMethod("bearer", .value, [token]) { draft, _ in
            draft.secret.map { .bearer(Secret($0.text)) }
        },
        CredentialMethod("negotiate", .none, []) { _, _ in .negotiate },
        CredentialMethod("ntlm", .guessable, [user, password]) { draft, _ in
            draft.login.map { .ntlm($0) }
        },
        CredentialMethod("awsSigV4", .none, aws) { draft, _ in
            guard let user = draft.user, let secret = draft.secret, let region = draft.region,
                let service = draft.service
            else { return nil }
            return .awsSigV4(
                AWSCredential(
                    accessKey: user.text,
                    secretKey: Secret(secret.text),
                    sessionToken: draft.sessionToken.map { Secret($0.text) },
                    region: region,
                    service: service
                )
            )
        },
        CredentialMethod("publicKey", .none, sshKey) { draft, _ in
            draft.user.map {
                .ssh(
                    SSHIdentity(
                        user: $0.text,
                        key: draft.key?.path,
                        password: draft.secret.map { Secret($0.text) }
                    )
                )
            }
        },
        CredentialMethod("netrc", .value, [netrcFile, challenge], namesItsHosts: true) {
            draft,
            reader in
            if let file = draft.file { return .netrc(path: file.path) }
            return reader.values.environment["HOME"].map {
                .netrc(path: AbsolutePath.make(".netrc", in: $0))
            }
        },
        CredentialMethod("clientCertificate", .none, certificate) { draft, _ in
            draft.file.map {
                .clientCertificate(
                    ClientCertificate(
                        certificate: $0.path,
                        key: draft.key?.path,
                        password: draft.secret.map { Secret($0.text) }
                    )
                )
            }
        },
    ]

    static let list = ValueType<[Credential]>(.list(entry.shape)) { reader, field in
        CredentialType.credentials(field, of: entry, &reader)
    }

    private static let entry = ValueType<Credential>(
        .variants(by: "method", methods.map(\.table.keys))
    ) { CredentialType.credential($1, &$0) }.faultless

    fileprivate static let scope = [
        Setting<CredentialDraft>(
            "origin",
            OriginType.ofCredential.withField,
            "The scheme, host and port that get the credential, such as `https://api.example.com`."
        ) { ($0.scope, $0.scopeField) = (.origin($1.value), $1.field) },
        Setting(
            "host",
            OriginType.host.withField,
            "The host that gets the credential on every port: over https, and on this machine "
                + "over http too."
        ) { ($0.scope, $0.scopeField) = (.host($1.value), $1.field) },
    ]

    private static let realm = Setting<CredentialDraft>(
        "realm",
        ValueType(pattern: nil, parse: plainText),
        default: .words("any"),
        "The realm that a challenge must name."
    ) { $0.realm = $1 }

    private static let challenge = Setting<CredentialDraft>(
        "challenge",
        .choice(),
        default: "skip",
        "`skip` sends the login with the first request over TLS; `wait` only answers a challenge."
    ) { $0.challenge = $1 }

    private static let user = Setting<CredentialDraft>(
        "user",
        text(isConfidential: false),
        isRequired: true,
        "The user name."
    ) { $0.user = $1 }

    private static let basicUser = Setting<CredentialDraft>(
        "user",
        text(isConfidential: false, mayHaveColon: false),
        isRequired: true,
        "The user name, without a colon."
    ) { $0.user = $1 }

    private static let password = secret("password", "The password.")
    private static let token = secret("token", "The token, without the word `Bearer`.")

    private static let aws = [
        Setting<CredentialDraft>(
            "accessKey",
            text(isConfidential: false),
            isRequired: true,
            "The id of the access key."
        ) { $0.user = $1 },
        secret("secretKey", "The secret access key."),
        Setting(
            "sessionToken",
            text(isConfidential: true),
            "The token of temporary credentials."
        ) { $0.sessionToken = $1 },
        Setting(
            "region",
            awsName,
            isRequired: true,
            "The AWS region, such as `eu-central-1`."
        ) { $0.region = $1 },
        Setting(
            "service",
            awsName,
            isRequired: true,
            "The AWS service, such as `s3` or `execute-api`."
        ) { $0.service = $1 },
    ]

    private static let certificate = [
        Setting<CredentialDraft>(
            "certificate",
            PathType.existingType,
            isRequired: true,
            "A PEM file with the certificate and its chain, or a PKCS #12 file."
        ) { $0.file = $1 },
        Setting(
            "key",
            PathType.existingType,
            default: .words("the certificate's file"),
            "A PEM file with the private key."
        ) { $0.key = $1 },
        Setting(
            "password",
            text(isConfidential: true),
            "The password of the private key."
        ) { $0.secret = $1 },
    ]

    private static let sshKey = [
        user,
        Setting(
            "key",
            PathType.existingType,
            default: .words("the keys of the agent"),
            "A file with a private key of SSH."
        ) { $0.key = $1 },
        Setting(
            "password",
            text(isConfidential: true),
            onlyWith: "key",
            "The password of the private key."
        ) { $0.secret = $1 },
    ]

    private static let netrcFile = Setting<CredentialDraft>(
        "file",
        PathType.type,
        default: .words("~/.netrc"),
        "A netrc file that only its owner can read; it names the hosts."
    ) { $0.file = $1 }

    private static func secret(_ name: String, _ summary: String) -> Setting<CredentialDraft> {
        Setting(name, text(isConfidential: true), isRequired: true, summary) { $0.secret = $1 }
    }

    /// A text that may hold secrets.
    private static func text(
        isConfidential: Bool,
        mayHaveColon: Bool = true
    ) -> ValueType<CredentialText> {
        ValueType(isConfidential ? .credential : .text(pattern: nil)) { reader, field in
            CredentialType.credentialText(
                field,
                isConfidential: isConfidential,
                mayHaveColon: mayHaveColon,
                &reader
            )
        }
    }

    private static func plainText(_ text: String) throws(ValueFault) -> String {
        try HeaderRule.checkValue(text)
        return text
    }

    private static let awsName = ValueType(pattern: "^[a-z0-9-]+$") {
        (text) throws(ValueFault) -> String in
        let isName = text.utf8.allSatisfy {
            $0.isDigit || $0.isLowercase || $0 == UInt8(ascii: "-")
        }
        guard isName, !text.isEmpty else {
            throw ValueFault(
                .badValue,
                "an AWS name may only have lowercase letters, digits and `-`"
            )
        }
        return text
    }
}
