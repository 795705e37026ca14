import SystemKit

/// A test's own Kerberos realm with MIT's key distribution center, the user `me` and the service
/// `HTTP/localhost`.
package final class KerberosRealm: Sendable {
    private let folder: TemporaryFolder
    private let center: ServerProcess
    /// The service's key file.
    let serviceKeys: String

    private static let name = "RUNNER.TEST"

    /// Creates the realm and a ticket for `me`.
    package init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let own = Self.environment(in: folder)
        center = try ServerProcess(
            "krb5kdc (packages krb5-kdc, krb5-admin-server, krb5-user)",
            readyAt: "commencing operation",
            environment: own
        ) { port in
            try Self.configure(folder, port: port)
            return ["krb5kdc", "-n", "-r", Self.name, "-P", folder.path("kdc.pid")]
        }
        serviceKeys = folder.path("service.keytab")
        let userKeys = folder.path("user.keytab")
        for query in [
            "addprinc -randkey me", "addprinc -randkey HTTP/localhost",
            "ktadd -k \(userKeys) me", "ktadd -k \(serviceKeys) HTTP/localhost",
        ] {
            try Self.run("kadmin.local", ["-r", Self.name, "-q", query], own)
        }
        // The web server does not run as root but must read its keys.
        try Self.run("chmod", ["755", folder.path], [:])
        try Self.run("chmod", ["644", serviceKeys], [:])
        try Self.run("kinit", ["-k", "-t", userKeys, "me"], own)
    }

    /// The environment of a program in the realm, with the ticket of `me`.
    package var environment: [String: String?] { Self.environment(in: folder) }

    /// The same environment without a ticket.
    package var environmentWithoutTicket: [String: String?] {
        environment.merging(["KRB5CCNAME": "FILE:" + folder.path("none")]) { $1 }
    }

    private static func environment(in folder: TemporaryFolder) -> [String: String?] {
        [
            "KRB5_CONFIG": folder.path("krb5.conf"), "KRB5_KDC_PROFILE": folder.path("kdc.conf"),
            "KRB5CCNAME": "FILE:" + folder.path("tickets"), "KRB5_KTNAME": nil,
            "KRB5_CLIENT_KTNAME": nil, "KRB5RCACHETYPE": "none",
        ]
    }

    /// Writes the configuration for a port and, the first time, the database.
    private static func configure(_ folder: TemporaryFolder, port: UInt16) throws {
        try folder.write(
            """
            [libdefaults]
            default_realm = \(name)
            dns_lookup_realm = false
            dns_lookup_kdc = false
            dns_canonicalize_hostname = false
            rdns = false
            [realms]
            \(name) = {
              kdc = 127.0.0.1:\(port)
            }
            [domain_realm]
            localhost = \(name)
            """,
            to: "krb5.conf"
        )
        try folder.write(
            """
            [kdcdefaults]
            kdc_listen = 127.0.0.1:\(port)
            kdc_tcp_listen = 127.0.0.1:\(port)
            [realms]
            \(name) = {
              database_name = \(folder.path("principal"))
              key_stash_file = \(folder.path("stash"))
              acl_file = \(folder.path("acl"))
            }
            [logging]
            kdc = STDERR
            """,
            to: "kdc.conf"
        )
        guard !folder.contains("principal") else { return }
        try run(
            "kdb5_util",
            ["create", "-s", "-W", "-P", "master", "-r", name],
            environment(in: folder)
        )
    }

    private static func run(
        _ tool: String,
        _ arguments: [String],
        _ environment: [String: String?]
    ) throws {
        let script = "PATH=$PATH:/usr/sbin; exec \"$@\""
        let outcome = try Command(
            "sh",
            ["-c", script, "sh", tool] + arguments,
            environment: environment
        ).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool(tool, outcome.standardError)
        }
    }
}
