internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `ftp` and `ssh` of a session: file servers and the trust in them.
enum FileServerTables {
    static let ftp = Setting<SessionConfiguration>(
        KeyDescription(
            name: "ftp",
            summary: "Allows `ftp` and `ftps` URLs.",
            default: nil,
            isRequired: false,
            shape: .mapping(ftpTable.keys)
        )
    ) { session, reader, field in
        var ftp = session.ftp ?? FTPConfiguration()
        reader.apply(ftpTable, to: &ftp, in: field)
        session.ftp = ftp
    }

    static let ftpTable = SettingTable<FTPConfiguration>(
        "ftp",
        [
            Setting(
                "tls",
                .choice(),
                default: "required",
                "Whether `ftp` URLs need TLS, which begins before the login; `none` lets others "
                    + "read the login and the files."
            ) { $0.tls = $1 }
        ]
    )

    static let ssh = Setting<SessionConfiguration>(
        KeyDescription(
            name: "ssh",
            summary: "Allows `sftp` URLs, and says how the servers are known.",
            default: nil,
            isRequired: false,
            shape: .mapping(sshTable.keys)
        )
    ) { session, reader, field in
        var ssh = SSHConfiguration()
        reader.apply(sshTable, to: &ssh, in: field)
        session.ssh = ssh
    }

    static let sshTable = SettingTable<SSHConfiguration>(
        "ssh",
        [
            Setting(
                "knownHosts",
                PathType.existingType,
                "A file in the form of OpenSSH's `known_hosts`; other servers are refused."
            ) { $0.knownHosts = $1.path },
            Setting(
                "hostKey",
                ValueType(pattern: HostKeyText.pattern, parse: HostKeyText.parse),
                "The fingerprint of the server's key, as `ssh-keygen -l` shows it: `SHA256:` and "
                    + "base64."
            ) { $0.hostKey = $1 },
        ],
        exactlyOneOf: ["knownHosts", "hostKey"]
    )
}
