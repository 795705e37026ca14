// URLs without a server. Only a task's own URL may be one: the initializer that reads `Location`,
// mirrors and all other URLs accepts http and https alone.
extension HTTPURL {
    /// A `data` URL; its origin is shared by all of them and has no host.
    package init(_ url: DataURL) {
        self.init(
            text: url.text,
            origin: Origin(scheme: .data, host: "", port: 0),
            authorityEnd: "data:".utf8.count,
            pathEnd: url.text.utf8.count
        )
    }

    /// A `file` URL; its origin is shared by all of them and has no host.
    package init(_ url: FileURL) {
        self.init(
            text: url.text,
            origin: Origin(scheme: .file, host: "", port: 0),
            authorityEnd: "file://".utf8.count,
            pathEnd: url.text.utf8.count
        )
    }

    /// Whether the runner answers requests for the URL by itself, without a connection.
    package var isLocal: Bool { origin.scheme.isLocal }
}

extension Origin.Scheme {
    /// Whether URLs of the scheme have no server.
    package var isLocal: Bool {
        switch self {
        case .http, .https, .custom, .ftp, .ftps, .sftp: false
        case .data, .file: true
        }
    }

    /// Whether all traffic to a server of the scheme is encrypted.
    package var isEncrypted: Bool {
        switch self {
        case .https, .ftps, .sftp: true
        case .http, .ftp, .data, .file, .custom: false
        }
    }
}
