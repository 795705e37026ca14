/// How a session reaches servers of FTP.
package struct FTPConfiguration: Sendable, Hashable {
    /// Whether connections to `ftp` URLs are encrypted; those to `ftps` URLs always are.
    package enum Security: String, Sendable, Hashable, CaseIterable {
        /// TLS begins before the login (`AUTH TLS`, RFC 4217), for commands and files; a server
        /// without it is refused.
        case required
        /// No TLS: others can read the login and the files.
        case never = "none"
    }

    /// Whether `ftp` URLs need TLS.
    package var tls = Security.required

    /// Creates the default: TLS is required.
    package init() {}
}

/// How a session knows servers of SSH.
package struct SSHConfiguration: Sendable, Hashable {
    /// An absolute path to a file in the form of OpenSSH's `known_hosts`.
    package var knownHosts: String?
    /// The base64 of the SHA-256 of the only accepted host key, without padding.
    package var hostKey: String?

    /// Creates a configuration that trusts no server.
    package init() {}
}

/// A user of SSH who proves to have a private key.
package struct SSHIdentity: Sendable, Hashable {
    /// The user at the server.
    package var user: String
    /// An absolute path to a private key; nil for the keys of the agent behind `SSH_AUTH_SOCK`.
    package var key: String?
    /// The password that encrypts the key.
    package var password: Secret?

    /// Creates an identity; without `key` an agent has the keys.
    package init(user: String, key: String?, password: Secret?) {
        self.user = user
        self.key = key
        self.password = password
    }
}
