/// A certificate authority and what it vouches for, made by the `openssl` command once per process.
package struct TestCertificates: Sendable {
    /// A certificate and its key as PEM files.
    package struct Identity: Sendable {
        package var certificateFile: String
        package var keyFile: String
    }

    /// The authority's certificate: what a client has to trust, as `tls.caFile`.
    package let authorityFile: String
    /// For `localhost` and 127.0.0.1, valid for a month.
    package let server: Identity
    /// Like `server`, but its time has passed.
    package let expired: Identity
    /// Valid, for `other.invalid` only.
    package let wrongHost: Identity

    /// Keeps the files for as long as the process runs.
    private let folder: TemporaryFolder

    private static let made = Result { try TestCertificates() }

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
