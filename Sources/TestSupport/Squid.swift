import Glibc

/// Debian's squid: an HTTP proxy, plain and over TLS, that caches nothing.
package final class Squid: Sendable {
    /// As whom it wants to be asked; the one user is `user`, with the password `s3cret-word`.
    package enum Access: Sendable {
        case open
        case basic
        case digest
        /// Any user will do: the helper looks at the form of what it gets, not at the password.
        case ntlm
    }

    package static let user = "user"
    package static let password = "s3cret-word"

    package let port: UInt16
    /// nil when it was started without a certificate.
    package let securePort: UInt16?
    private let process: ProxyProcess

    /// A request as its log has it.
    package struct LoggedRequest: Sendable, Hashable {
        package var method: String
        /// The URL, or the host and port of a tunnel.
        package var target: String
        package var status: Int
        /// nil when nobody was named.
        package var user: String?
    }

    /// Starts it and returns when it listens; `rules` are lines of its configuration that come first.
    ///
    /// Throws `MissingTool` when squid does not start.
    package init(
        _ access: Access = .open,
        certificate: TestCertificates.Identity? = nil,
        rules: String = ""
    ) throws {
        process = try ProxyProcess(
            ProxyProcess.Program(
                name: "squid",
                package: "squid-openssl",
                arguments: ["-N", "-n", "$NAME", "-f", "$CONFIGURATION"],
                portCount: certificate == nil ? 1 : 2,
                user: "proxy"
            ) { ports, folder in
                try Self.configuration(access, certificate, rules, ports, folder)
            }
        )
        port = process.ports[0]
        securePort = certificate == nil ? nil : process.ports[1]
    }

    /// Without a slash at its end.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The same proxy over TLS.
    package var secureURL: String? { securePort.map { "https://localhost:\($0)" } }

    /// Ends it and returns every request that it has answered; a tunnel is answered when it ends.
    package func end() throws -> [LoggedRequest] {
        try process.end()
        let lines = try process.folder.text("access.log").split(separator: "\n")
        // A connection on which nothing was asked has its line too: the one that finds out whether it listens.
        return try lines.filter { !$0.contains("error:transaction-end") }.map { line in
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

    private static func configuration(
        _ access: Access,
        _ certificate: TestCertificates.Identity?,
        _ rules: String,
        _ ports: [UInt16],
        _ folder: TemporaryFolder
    ) throws -> String {
        try folder.write("\(user):\(password)\n", to: "digest-users")
        // `{SHA}` and the base64 of the password's SHA-1 would do too; this is `openssl passwd -apr1`.
        let hash = try Command("openssl", ["passwd", "-apr1", password]).run().standardOutput
        try folder.write("\(user):\(hash)", to: "basic-users")
        try folder.write("", to: "access.log")
        var secure = ""
        if let certificate {
            // It reads them as another user than root.
            for (name, path) in [
                ("cert.pem", certificate.certificateFile), ("key.pem", certificate.keyFile),
            ] {
                try folder.write(Fixture.read(path) ?? [], to: name)
            }
            secure =
                "https_port 127.0.0.1:\(ports[1]) tls-cert=\(folder.path("cert.pem")) "
                + "tls-key=\(folder.path("key.pem"))"
        }
        return """
            http_port 127.0.0.1:\(ports[0])
            \(secure)
            pid_filename none
            cache_effective_user proxy
            logformat fields %rm %ru %>Hs %un
            access_log stdio:\(folder.path("access.log")) fields
            buffered_logs off
            cache_log \(folder.path("log"))
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
            \(authentication(access, folder))
            \(rules)
            \(access == .open ? "" : "acl known proxy_auth REQUIRED\nhttp_access deny !known")
            http_access allow all

            """
    }

    private static func authentication(_ access: Access, _ folder: TemporaryFolder) -> String {
        let helpers = "/usr/lib/squid"
        return switch access {
        case .open: ""
        case .basic:
            """
            auth_param basic program \(helpers)/basic_ncsa_auth \(folder.path("basic-users"))
            auth_param basic children 1
            auth_param basic realm squid
            """
        case .digest:
            """
            auth_param digest program \(helpers)/digest_file_auth \(folder.path("digest-users"))
            auth_param digest children 1
            auth_param digest realm squid
            """
        case .ntlm:
            """
            auth_param ntlm program \(helpers)/ntlm_fake_auth
            auth_param ntlm children 1
            """
        }
    }
}
