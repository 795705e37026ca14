import Glibc
import SystemKit

/// Debian's Apache on a loopback port; stops when released.
///
/// The user `me` has the password `open sesame`, all realms are called `Orders`. `/basic/`,
/// `/digest/`, `/stale/` (Digest with nonces that live for a second) and, in a Kerberos realm,
/// `/negotiate/` require a login. If there is a backend, it answers the requests below these
/// folders, WebSockets included.
package final class Apache: Sendable {
    private let folder: TemporaryFolder
    private let server: ServerProcess
    /// Retained, because the server uses its keys.
    private let realm: KerberosRealm?

    private static let modules = [
        "mpm_event", "authn_core", "authz_core", "authz_user", "authn_file", "auth_basic",
        "auth_digest", "proxy", "proxy_http",
    ]

    /// Starts the server and returns when it listens.
    ///
    /// - Parameters:
    ///   - backend: The origin of the server behind it.
    ///   - realm: The realm whose tickets it accepts.
    /// - Throws: `MissingTool` when the server does not start.
    package init(backend: String, realm: KerberosRealm? = nil) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.realm = realm
        try folder.write("me:{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=\n", to: "users")
        try folder.write("me:Orders:07aee44039043645719624219b7226b5\n", to: "digests")
        // The server's child processes do not run as root.
        _ = unsafe chmod(folder.path, 0o755)
        server = try ServerProcess(
            "apache2 (packages apache2-bin, libapache2-mod-auth-gssapi)",
            readyAt: "resuming normal operations",
            environment: realm?.environment ?? [:]
        ) { port in
            let text = Self.configuration(folder, port: port, backend: backend, realm: realm)
            let file = try folder.write(text, to: "apache.conf")
            return ["apache2", "-d", folder.path, "-f", file, "-D", "FOREGROUND"]
        }
    }

    /// The absolute URL of a path with its leading slash; by name, because tickets are issued for
    /// names.
    package func url(_ path: String) -> String { "http://localhost:\(server.port)\(path)" }

    private static func configuration(
        _ folder: TemporaryFolder,
        port: UInt16,
        backend: String,
        realm: KerberosRealm?
    ) -> String {
        let own = realm == nil ? [] : ["auth_gssapi"]
        let modules = (modules + own).map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }.joined(separator: "\n")
        let basic = "AuthType Basic\nAuthUserFile \(folder.path("users"))"
        let digest = """
            AuthType Digest
            AuthDigestProvider file
            AuthUserFile \(folder.path("digests"))
            """
        var locations = [
            ("basic", basic), ("digest", digest),
            ("stale", digest + "\nAuthDigestNonceLifetime 1"),
        ]
        if let realm {
            let negotiate = "AuthType GSSAPI\nGssapiCredStore keytab:\(realm.serviceKeys)"
            locations.append(("negotiate", negotiate))
        }
        let sections = locations.map { name, lines in
            "<Location /\(name)/>\nAuthName Orders\n\(lines)\nRequire valid-user\n</Location>"
        }
        return """
            ServerRoot \(folder.path)
            ServerName localhost
            Listen 127.0.0.1:\(port)
            PidFile \(folder.path("apache.pid"))
            DefaultRuntimeDir \(folder.path)
            Mutex pthread
            ErrorLog /dev/stderr
            \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
            \(modules)
            StartServers 1
            ServerLimit 1
            ThreadsPerChild 16
            MaxRequestWorkers 16
            KeepAliveTimeout 60
            ProxyPass / \(backend)/ upgrade=websocket
            \(sections.joined(separator: "\n"))

            """
    }
}
