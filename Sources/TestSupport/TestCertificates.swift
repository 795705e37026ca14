import Glibc

/// A certificate authority and its certificates, made by `openssl` once per process.
package struct TestCertificates: Sendable {
    /// A certificate and its key as PEM files.
    package struct Identity: Sendable {
        /// The absolute path of the certificate's PEM file.
        package var certificateFile: String
        /// The absolute path of the key's PEM file.
        package var keyFile: String
    }

    /// The authority's certificate, which a client must trust, as `tls.caFile`.
    package let authorityFile: String
    /// For `localhost` and 127.0.0.1, valid for a month.
    package let server: Identity
    /// Like `server`, but expired.
    package let expired: Identity
    /// Valid, for `other.invalid` only.
    package let wrongHost: Identity

    /// Like `server`, but not valid yet.
    package let early: Identity
    /// Like `server`, but signed by itself only.
    package let selfSigned: Identity
    /// For a client named `client`.
    package let client: Identity
    /// Like `client`, but its key is encrypted with `keyPassword`.
    package let guardedClient: Identity
    /// `client` and its key in one PKCS #12 file under `keyPassword`.
    package let clientArchive: String
    /// The password of the encrypted keys and archives.
    package static let keyPassword = "open sesame"

    /// Keeps the files for as long as the process runs.
    private let folder: TemporaryFolder

    private static let made = Result {
        let certificates = try TestCertificates()
        // Values that live as long as the process are never released.
        atexit { try? TestCertificates.shared().folder.clear() }
        return certificates
    }

    /// The certificates of this process.
    package static func shared() throws -> TestCertificates {
        try made.get()
    }

    private init() throws {
        let folder = try TemporaryFolder()
        try Self.openssl(
            folder,
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30",
            "-keyout authority.key -out authority.pem -subj",
            last: "/CN=runner test authority"
        )
        let local = "DNS:localhost,IP:127.0.0.1"
        server = try Self.identity(folder, "server", names: local, days: 30)
        expired = try Self.identity(folder, "expired", names: local, days: -1)
        wrongHost = try Self.identity(folder, "wrong-host", names: "DNS:other.invalid", days: 30)
        early = try Self.early(folder, names: local)
        selfSigned = try Self.vouchingForItself(folder, names: local)
        client = try Self.identity(folder, "client", names: "DNS:client", days: 30)
        guardedClient = try Self.guarded(client, folder)
        clientArchive = try Self.archive(client, folder)
        authorityFile = folder.path("authority.pem")
        self.folder = folder
    }

    private static func identity(
        _ folder: TemporaryFolder,
        _ name: String,
        names: String,
        days: Int
    ) throws -> Identity {
        try openssl(
            folder,
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name)",
            "-keyout \(name).key -out \(name).csr -addext",
            last: "subjectAltName=\(names)"
        )
        // `x509` takes a negative number of days, `req -x509` does not.
        try openssl(
            folder,
            "x509 -req -in \(name).csr -CA authority.pem -CAkey authority.key -days \(days)",
            "-copy_extensions copy -out",
            last: "\(name).pem"
        )
        return Identity(
            certificateFile: folder.path("\(name).pem"),
            keyFile: folder.path("\(name).key")
        )
    }

    /// Valid from the year 2090: only `ca` accepts a start date.
    private static func early(_ folder: TemporaryFolder, names: String) throws -> Identity {
        let identity = try identity(folder, "early", names: names, days: 30)
        try folder.write(
            """
            [ca]
            default_ca = here
            [here]
            database = index.txt
            new_certs_dir = .
            serial = serial
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = supplied

            """,
            to: "ca.conf"
        )
        try folder.write("", to: "index.txt")
        try folder.write("01\n", to: "serial")
        try openssl(
            folder,
            "ca -batch -notext -config ca.conf -cert authority.pem -keyfile authority.key",
            "-startdate 20900101000000Z -enddate 20910101000000Z -in early.csr -out",
            last: "early.pem"
        )
        return identity
    }

    private static func vouchingForItself(
        _ folder: TemporaryFolder,
        names: String
    ) throws -> Identity {
        try openssl(
            folder,
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=alone",
            "-keyout alone.key -out alone.pem -addext",
            last: "subjectAltName=\(names)"
        )
        return Identity(
            certificateFile: folder.path("alone.pem"),
            keyFile: folder.path("alone.key")
        )
    }

    /// The identity with its key encrypted.
    private static func guarded(_ identity: Identity, _ folder: TemporaryFolder) throws -> Identity
    {
        try openssl(
            folder,
            "ec -aes256 -in \(identity.keyFile) -out guarded.key -passout",
            last: "pass:\(keyPassword)"
        )
        return Identity(
            certificateFile: identity.certificateFile,
            keyFile: folder.path("guarded.key")
        )
    }

    private static func archive(_ identity: Identity, _ folder: TemporaryFolder) throws -> String {
        try openssl(
            folder,
            "pkcs12 -export -in \(identity.certificateFile) -inkey \(identity.keyFile)",
            "-out client.p12 -passout",
            last: "pass:\(keyPassword)"
        )
        return folder.path("client.p12")
    }

    /// The pin of an identity's public key: `sha256//` and base64.
    package static func pin(of identity: Identity) throws -> String {
        let script =
            "openssl x509 -in \"$1\" -noout -pubkey | openssl pkey -pubin -outform der "
            + "| openssl dgst -sha256 -binary | base64"
        let outcome = try Command("sh", ["-c", script, "sh", identity.certificateFile]).run()
        let text = outcome.standardOutput.split(separator: "\n").first.map(String.init)
        guard let text, text.count == 44 else {
            throw MissingTool("openssl", outcome.standardError)
        }
        return "sha256//" + text
    }

    /// Runs `openssl` in the folder; `words` are split at spaces, `last` is one argument.
    private static func openssl(
        _ folder: TemporaryFolder,
        _ words: String...,
        last: String
    ) throws {
        let arguments = words.flatMap { $0.split(separator: " ").map(String.init) } + [last]
        let outcome = try Command("openssl", arguments, workingFolder: folder.path).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool("openssl \(arguments.joined(separator: " "))", outcome.standardError)
        }
    }
}
