internal import SystemKit

// URLs of other schemes than http and https. Only a task's own URL may be one: the initializer that
// reads `Location`, mirrors and all other URLs accepts http and https alone.

// MARK: Files at servers of FTP and SSH

extension TransferURL {
    /// Why the path of a URL does not name one file of a file server.
    package enum FileServerFault: Error, Hashable {
        /// The text is no URL.
        case url(URLFault)
        /// No file after the last slash.
        case folder
        /// `..` as a segment, perhaps escaped.
        case parent
        /// `?` or `#`, which would not be part of the path.
        case delimiter(Character)
        /// A percent sign without two hexadecimal digits.
        case badEscape
        /// An escaped control character, which would end a command of FTP.
        case controlCharacter
        /// `;type=`, which changes how FTP sends the file.
        case transferType
    }

    /// Whether a text begins with a scheme of file servers, in any case.
    package static func isOfFileServer(_ text: String) -> Bool {
        // Nearly all URLs are of another scheme.
        guard let first = text.utf8.first, "fFsS".utf8.contains(first) else { return false }
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        return scheme.count < 5 && scheme.count > 2
            && Origin.Scheme(rawValue: String(Substring(scheme)).lowercased())?.isOfFileServer
                == true
    }

    /// Parses the URL of a file at a file server.
    ///
    /// The path is refused where a command of FTP could carry more than one file's name.
    package init(fileServer text: String) throws(FileServerFault) {
        do throws(URLFault) {
            self = try TransferURL(text) { bytes, end in
                let name = String(decoding: (0..<end).map { bytes[$0] }, as: UTF8.self)
                let scheme = Origin.Scheme(rawValue: name.lowercased())
                return scheme?.isOfFileServer == true ? scheme : nil
            }
        } catch {
            throw .url(error)
        }
        if let mark = self.text.utf8.dropFirst(pathEnd).first {
            throw .delimiter(Character(UnicodeScalar(mark)))
        }
        let name = try Self.decoded(path)
        if name.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw .controlCharacter }
        let segments = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if segments.contains(where: { $0.elementsEqual("..".utf8) }) { throw .parent }
        guard let last = segments.last, !last.isEmpty, !last.elementsEqual(".".utf8) else {
            throw .folder
        }
        if origin.scheme != .sftp, path.lowercased().containsBytes(";type=") { throw .transferType }
    }

    /// The origin of a text that has nothing behind its host and port but perhaps a slash.
    package static func originOfFileServer(_ text: String) -> Origin? {
        let folder = text.hasByteSuffix("/") ? text : text + "/"
        guard let url = try? TransferURL(fileServer: folder + "x"), !url.hasUserInformation,
            url.path == "/x"
        else { return nil }
        return url.origin
    }

    /// Whether a server of FTP or SSH has the file.
    package var isOfFileServer: Bool { origin.scheme.isOfFileServer }

    /// Whether a server of HTTP answers requests for the URL.
    package var isOfHTTP: Bool { origin.scheme == .http || origin.scheme == .https }

    /// The path without its escapes.
    package var decodedPath: [UInt8] { (try? Self.decoded(path)) ?? Array(path.utf8) }

    private static func decoded(_ path: String) throws(FileServerFault) -> [UInt8] {
        var result: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue,
                let low = rest.popFirst()?.hexadecimalValue
            else { throw .badEscape }
            result.append(high << 4 | low)
        }
        return result
    }
}

extension Origin.Scheme {
    /// Whether URLs of the scheme name files at servers of FTP or SSH.
    package var isOfFileServer: Bool {
        switch self {
        case .ftp, .ftps, .sftp: true
        case .http, .https, .data, .file, .custom: false
        }
    }
}

// MARK: URLs without a server

extension TransferURL {
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
