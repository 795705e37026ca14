import Glibc

/// Debian's squid, an HTTP proxy, plain or over TLS, without a cache; stops when released.
package final class Squid: Sendable {
    /// The required login; the only user is `user` with the password `s3cret-word`.
    package enum Access: Sendable {
        case open
        case basic
        case digest
        /// Any user: the helper checks the form of the message, not the password.
        case ntlm
        /// Users with a ticket of the realm.
        case negotiate(KerberosRealm)
    }

    /// A request in the proxy's log.
    package struct LoggedRequest: Sendable, Hashable {
        /// The method as sent; `CONNECT` for a tunnel.
        package var method: String
        /// The URL, or the host and port of a tunnel.
        package var target: String
        /// The status code that the proxy sent.
        package var status: Int
        /// nil without a login.
        package var user: String?
    }

    /// The name of the only user.
    package static let user = "user"
    /// The password of the only user.
    package static let password = "s3cret-word"

    private let folder: TemporaryFolder
    private let server: ServerProcess
    /// Retained, because the helper uses its keys.
    private let access: Access
    private let isSecure: Bool

    /// Starts the proxy and returns when it listens.
    ///
    /// - Parameters:
    ///   - access: The required login.
    ///   - certificate: Makes it a proxy over TLS.
    ///   - rules: Configuration lines before all other access rules.
    /// - Throws: `MissingTool` when the proxy does not start.
    package init(
        _ access: Access = .open,
        certificate: TestCertificates.Identity? = nil,
        rules: String = ""
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.access = access
        isSecure = certificate != nil
        try Self.fill(folder, certificate)
        let environment: [String: String?] =
            if case .negotiate(let realm) = access { realm.environment } else { [:] }
        server = try ServerProcess(
            "squid (package squid-openssl)",
            readyAt: "Accepting HTTP",
            environment: environment
        ) { port in
            let text = Self.configuration(
                folder,
                port: port,
                isSecure: certificate != nil,
                access: access,
                rules: rules
            )
            let file = try folder.write(text, to: "squid.conf")
            // Started as root, squid becomes this user, who must be able to write there.
            if geteuid() == 0 { try Self.run("chown", ["-R", "proxy", folder.path]) }
            // Each instance needs its own name for shared memory.
            let name = folder.path.filter { $0.isLetter || $0.isNumber }.suffix(16)
            return ["squid", "-N", "-d1", "-n", String(name), "-f", file]
        }
        // squid reports readiness a moment too early.
        try ConnectionTable.waitForListener(at: server.port)
    }

    /// The port of the proxy on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// Without a slash at its end.
    package var url: String {
        isSecure ? "https://localhost:\(port)" : "http://localhost:\(port)"
    }

    /// Stops the proxy and returns every answered request; a tunnel counts when it ends.
    package func end() throws -> [LoggedRequest] {
        try server.end()
        return try folder.text("access.log").split(separator: "\n").map { line in
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count == 4, let status = Int(fields[2]) else {
                throw GuardTimeout("a whole line of squid's log, not \(line)")
            }
            return LoggedRequest(
                method: fields[0],
                target: fields[1],
                status: status,
                user: fields[3] == "-" ? nil : fields[3]
            )
        }
    }

    /// Writes the files that squid reads besides its configuration.
    private static func fill(
        _ folder: TemporaryFolder,
        _ certificate: TestCertificates.Identity?
    ) throws {
        try folder.write("\(user):\(password)\n", to: "digest-users")
        let hash = try run("openssl", ["passwd", "-apr1", password])
        try folder.write("\(user):\(hash)", to: "basic-users")
        try folder.write("", to: "access.log")
        guard let certificate else { return }
        // A place where the user that squid becomes can read them.
        try folder.write(Fixture.read(certificate.certificateFile) ?? [], to: "certificate.pem")
        try folder.write(Fixture.read(certificate.keyFile) ?? [], to: "key.pem", mode: 0o600)
    }

    @discardableResult
    private static func run(_ tool: String, _ arguments: [String]) throws -> String {
        let outcome = try Command(tool, arguments).run()
        guard outcome.status == .exit(0) else { throw MissingTool(tool, outcome.standardError) }
        return outcome.standardOutput
    }

    private static func configuration(
        _ folder: TemporaryFolder,
        port: UInt16,
        isSecure: Bool,
        access: Access,
        rules: String
    ) -> String {
        let certificate =
            "tls-cert=\(folder.path("certificate.pem")) tls-key=\(folder.path("key.pem"))"
        let authentication = authentication(access, folder)
        return """
            \(isSecure ? "https_port" : "http_port") 127.0.0.1:\(port) \(isSecure ? certificate : "")
            pid_filename none
            cache_effective_user proxy
            logformat fields %rm %ru %>Hs %un
            access_log stdio:\(folder.path("access.log")) fields
            buffered_logs off
            cache_log \(folder.path("squid.log"))
            logfile_rotate 0
            coredump_dir \(folder.path)
            cache deny all
            cache_mem 4 MB
            memory_cache_shared off
            memory_pools off
            sslproxy_session_cache_size 0
            max_filedescriptors 1024
            shutdown_lifetime 0 seconds
            pinger_enable off
            netdb_filename none
            visible_hostname localhost
            via off
            forwarded_for delete
            \(authentication)
            \(rules)
            \(authentication.isEmpty ? "" : "acl known proxy_auth REQUIRED\nhttp_access deny !known")
            http_access allow all

            """
    }

    private static func authentication(_ access: Access, _ folder: TemporaryFolder) -> String {
        let (scheme, helper) =
            switch access {
            case .open: ("", "")
            case .basic: ("basic", "basic_ncsa_auth \(folder.path("basic-users"))")
            case .digest: ("digest", "digest_file_auth \(folder.path("digest-users"))")
            case .ntlm: ("ntlm", "ntlm_fake_auth")
            case .negotiate(let realm):
                ("negotiate", "negotiate_kerberos_auth -k \(realm.serviceKeys) -s HTTP/localhost")
            }
        guard !scheme.isEmpty else { return "" }
        let hasRealm = scheme == "basic" || scheme == "digest"
        return """
            auth_param \(scheme) program /usr/lib/squid/\(helper)
            auth_param \(scheme) children 1
            \(hasRealm ? "auth_param \(scheme) realm squid" : "")
            """
    }
}
