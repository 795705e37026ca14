internal import CCurl

/// The transfer of one file by FTP or SFTP, for libcurl.
package struct EasyFileTransfer: Sendable {
    /// The login at the file server.
    package enum Login: Sendable {
        /// FTP's anonymous login, without a user name of the job.
        case anonymous
        case password(user: String, password: String)
        /// A private key of SSH; without a file, the keys of the agent behind `SSH_AUTH_SOCK`.
        case key(user: String, file: String?, password: String?)
    }

    /// The URL's scheme, the only one that the handle may use for it (`CURLOPT_PROTOCOLS_STR`).
    package var scheme: String
    /// The login; without a secret in any debug output.
    package var login: Login
    /// Whether FTP fails without TLS for commands and data (`CURLOPT_USE_SSL`).
    package var requiresTLS: Bool
    /// The file with the keys of known servers of SSH (`CURLOPT_SSH_KNOWNHOSTS`).
    package var knownHosts: String?
    /// The base64 of the SHA-256 of the server's key (`CURLOPT_SSH_HOST_PUBLIC_KEY_SHA256`).
    package var hostKey: String?
    /// The first byte to read (`CURLOPT_RESUME_FROM_LARGE`).
    package var offset: Int64 = 0
    /// Commands after a file was sent whole (`CURLOPT_POSTQUOTE`); none for a download.
    package var commands: [String] = []
    /// Whether the server is asked when the file was modified (`CURLOPT_FILETIME`).
    package var asksForTime = true
    /// The longest silence of the server before a reply, seconds
    /// (`CURLOPT_SERVER_RESPONSE_TIMEOUT`).
    package let replyTimeout: Int

    /// Creates the transfer of a whole file.
    package init(scheme: String, login: Login, requiresTLS: Bool, replyTimeout: Int) {
        self.scheme = scheme
        self.login = login
        self.requiresTLS = requiresTLS
        self.replyTimeout = replyTimeout
    }
}

extension EasyOptions {
    /// Sets the options that only file servers need; `configure` undoes it.
    func setFileTransfer(_ file: EasyFileTransfer) throws(CurlCode) {
        try set(CURLOPT_PROTOCOLS_STR, file.scheme)
        try set(CURLOPT_FILETIME, file.asksForTime ? 1 : 0)
        try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, file.replyTimeout)
        try setOffset(CURLOPT_RESUME_FROM_LARGE, file.offset)
        if file.scheme == "sftp" {
            try setSSH(file)
        } else {
            // A server may not name another host for the file.
            try set(CURLOPT_FTP_SKIP_PASV_IP, 1)
            try set(
                CURLOPT_USE_SSL,
                Int(file.requiresTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue)
            )
        }
        if case .password(let user, let password) = file.login {
            try set(CURLOPT_USERNAME, user)
            try set(CURLOPT_PASSWORD, password)
        }
    }

    private func setSSH(_ file: EasyFileTransfer) throws(CurlCode) {
        // Without a limit, libcurl does not sleep while it waits for the reply to the end of a
        // transfer. The client enforces the real limits in the callbacks meanwhile.
        try set(CURLOPT_TIMEOUT_MS, Int(Int32.max))
        // Without known hosts and without a key, libcurl accepts every server.
        guard file.knownHosts != nil || file.hostKey != nil else {
            throw CurlCode(CURLE_PEER_FAILED_VERIFICATION)
        }
        try setPath(CURLOPT_SSH_KNOWNHOSTS, file.knownHosts)
        try set(CURLOPT_SSH_HOST_PUBLIC_KEY_SHA256, file.hostKey)
        switch file.login {
        case .anonymous: break
        case .password:
            try set(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD))
        case .key(let user, let key, let password):
            try set(CURLOPT_USERNAME, user)
            let types = key == nil ? CURLSSH_AUTH_AGENT : CURLSSH_AUTH_PUBLICKEY
            try set(CURLOPT_SSH_AUTH_TYPES, Int(types))
            try setPath(CURLOPT_SSH_PRIVATE_KEYFILE, key)
            // libssh2 never asks for a missing password.
            try set(CURLOPT_KEYPASSWD, password ?? "")
        }
    }
}

extension CurlLibrary {
    /// Whether the loaded libcurl has a protocol, by its name in lower case.
    package static func speaks(_ name: String) -> Bool {
        guard let facts = unsafe ccurl_version_info(), var next = unsafe facts.pointee.protocols
        else { return false }
        while let entry = unsafe next.pointee {
            if unsafe String(cString: entry) == name { return true }
            unsafe next += 1
        }
        return false
    }
}
