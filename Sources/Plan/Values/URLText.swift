internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// The URL of a task: absolute, http or https, without user information.
enum URLText {
    /// The schemes of tasks under `webSockets` alone.
    private static let webSocketSchemes: Set<String> = ["ws", "wss"]

    static let pattern = "^[hH][tT][tT][pP][sS]?://"
    /// Also matches the URLs that a task alone may have.
    ///
    /// The schema cannot know which custom schemes have a program, only which cannot have one.
    static let taskPattern =
        "^(?:[hH][tT][tT][pP][sS]?://|[dD][aA][tT][aA]:|[fF][iI][lL][eE]:/|"
        + "[fF][tT][pP][sS]?://|[sS][fF][tT][pP]://|"
        + "(?!(?:\(CustomURL.reservedSchemes.sorted().joined(separator: "|"))):)[a-zA-Z][a-zA-Z0-9+.-]*://)"

    /// Whether the beginning of a URL holds all of its scheme, host and port.
    static func hasOrigin(_ front: Substring) -> Bool {
        var slashes = 0
        for byte in front.utf8 {
            switch byte {
            // The slashes after the scheme, then the slash that ends the host.
            case UInt8(ascii: "/"): slashes += 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return slashes >= 2
            default: break
            }
            if slashes == 3 { return true }
        }
        return false
    }

    static func parse(_ text: String) throws(ValueFault) -> TransferURL {
        try parse(text, like: nil)
    }

    /// Takes a URL apart; `other` is one whose origin it may well have.
    static func parse(_ text: String, like other: TransferURL?) throws(ValueFault) -> TransferURL {
        if let url = try local(text) {
            throw ValueFault(
                .badURL,
                "a `\(url.origin.scheme.rawValue)` URL is not allowed here",
                help: "only a data task or a download may have one, as its `url`"
            )
        }
        if TransferURL.isOfFileServer(text) { throw FileServerURLText.elsewhere(text) }
        return try parseHTTP(text, like: other)
    }

    /// Like `parse`, for the URL of a task, which may also be local, of a file server or of one of
    /// these custom schemes.
    static func parseTask(
        _ text: String,
        like other: TransferURL?,
        _ customSchemes: Set<String>
    ) throws(ValueFault) -> TransferURL {
        // Most URLs of a job have the server of the one before.
        if let other, other.isOfHTTP, other.beginsLike(text.utf8.span) {
            return try parseHTTP(text, like: other)
        }
        if let url = try local(text) { return url }
        if TransferURL.isOfFileServer(text) { return try FileServerURLText.parse(text) }
        if let url = try CustomURLText.parse(text, customSchemes) { return url }
        return try parseHTTP(text, like: other)
    }

    private static func parseHTTP(
        _ text: String,
        like other: TransferURL?
    ) throws(ValueFault) -> TransferURL {
        let url: TransferURL
        do {
            url = try TransferURL(text, like: other)
        } catch {
            throw fault(error, text)
        }
        try refuseUserInformation(of: url)
        return url
    }

    /// Throws for a URL with a login, also if signs in its password make the URL invalid.
    static func refuseUserInformation(of url: TransferURL) throws(ValueFault) {
        guard url.hasUserInformation || url.mayBeTornLogin else { return }
        let mend = "write it as `credentials` of the session, the password as a secret"
        throw ValueFault(
            .badURL,
            "a user name or password is not allowed in a URL",
            help: url.hasUserInformation
                ? mend : mend + "; if it is none, leave out the colon in front of the path"
        )
    }

    /// A URL without a server; nil for a text that begins like another one.
    private static func local(_ text: String) throws(ValueFault) -> TransferURL? {
        if DataURL.isMeant(by: text) { return try DataURLText.parse(text) }
        return FileURL.isMeant(by: text) ? try FileURLText.parse(text) : nil
    }

    /// The fault of a text that is no URL.
    static func fault(_ fault: URLFault, _ text: String) -> ValueFault {
        switch fault {
        case .notAbsolute:
            if let scheme = webSocketSchemes.first(where: {
                text.lowercased().hasBytePrefix($0 + ":")
            }) {
                return belongsToWebSockets(scheme)
            }
            return ValueFault(
                .badURL,
                "`\(text.excerpt)` is not an absolute URL",
                likely: likely(text),
                help: "begin with `https://` or `http://`"
            )
        case .unsupportedScheme(let scheme):
            if webSocketSchemes.contains(scheme) { return belongsToWebSockets(scheme) }
            return ValueFault(
                .badURL,
                "the scheme `\(scheme)` is not known",
                likely: likely(text),
                help: scheme == "s3"
                    ? "write the `https://` URL of the object, and `awsSigV4` among the "
                        + "`credentials` of its session"
                    : "begin with `https://` or `http://`"
            )
        case .missingHost:
            return ValueFault(.badURL, "the URL has no host")
        case .badHost:
            return ValueFault(.badURL, "the host is not a valid name or address")
        case .badInternationalHost:
            let isReadable = InternationalName.ascii("\u{FC}") != nil
            return ValueFault(
                .badURL,
                isReadable
                    ? "the host is not a valid international name"
                    : "\(InternationalName.library), which reads international names of hosts, "
                        + "cannot be loaded",
                help: isReadable ? nil : "write the host in its ASCII form, `xn--…`"
            )
        case .badPort:
            return ValueFault(.badURL, "the port is not a number from 1 to 65535")
        case .badCharacter(let offset):
            let byte = Array(text.utf8)[offset]
            let name =
                switch byte {
                case 0x20: "a space"
                case UInt8(ascii: "\\"): "a backslash"
                case 10, 13: "a line break"
                case 0: "a NUL character"
                default: "a control character"
                }
            return ValueFault(
                .badURL,
                "\(name) is not allowed in a URL",
                help: byte == 0x20 ? "write it as `%20`" : nil
            )
        }
    }

    /// The URL that was probably meant by an invalid text; nil if no similar text is a URL.
    private static func likely(_ text: String) -> String? {
        let bare = withoutCurlyQuotes(text)
        let candidate: String?
        if bare != text, (try? TransferURL(bare)) != nil {
            candidate = bare
        } else if let colon = bare.utf8.firstIndex(where: { ":/".utf8.contains($0) }) {
            let scheme = String(bare[..<colon]).lowercased()
            let rest = bare.utf8[colon...].drop { ":/".utf8.contains($0) }
            let separator = bare.utf8[colon..<rest.startIndex]
            let known = scheme == "https" || scheme == "http" ? scheme : nearScheme(scheme)
            if let known, !separator.elementsEqual("/".utf8) {
                candidate = "\(known)://\(Substring(rest))"
            } else {
                candidate = withScheme(bare)
            }
        } else {
            candidate = withScheme(bare)
        }
        // Do not offer a text that would be refused next.
        guard let candidate, let url = try? TransferURL(candidate), !url.hasUserInformation
        else { return nil }
        return candidate
    }

    /// `https` or `http` for a scheme that is a misspelling of one of them.
    private static func nearScheme(_ scheme: String) -> String? {
        NearestName.find(scheme, among: ["https", "http"])
    }

    /// A text that begins with a host, with a scheme in front of it: `localhost` speaks plain http.
    private static func withScheme(_ text: String) -> String? {
        let host = text.prefix { !"/:?#".contains($0) }
        let isLocal = host == "localhost" || host == "127.0.0.1"
        let port = text[host.endIndex...].prefix { !"/?#".contains($0) }
        guard isLocal || host.containsBytes("."), host.first != ".",
            port.dropFirst().allSatisfy(\.isNumber), port != ":"
        else { return nil }
        return (isLocal ? "http://" : "https://") + text
    }

    /// A text without the quotation marks of word processors around it, which YAML takes for
    /// letters.
    private static func withoutCurlyQuotes(_ text: String) -> String {
        let quotes: Set<Character> = ["“", "”", "„", "‟", "‘", "’", "‚", "«", "»", "″", "′"]
        guard let first = text.first, quotes.contains(first) else { return text }
        let rest = text.dropFirst()
        return String(rest.last.map(quotes.contains) == true ? rest.dropLast() : rest)
    }

    private static func belongsToWebSockets(_ scheme: String) -> ValueFault {
        ValueFault(
            .badURL,
            "only tasks under `webSockets` have the scheme `\(scheme)`",
            help: "declare the task under `webSockets`, or write "
                + "`\(scheme == "ws" ? "http" : "https")://`"
        )
    }
}

/// The URL of a task whose scheme a program of the session serves.
enum CustomURLText {
    /// Takes a URL apart; nil for a text with none of the schemes.
    static func parse(_ text: String, _ schemes: Set<String>) throws(ValueFault) -> TransferURL? {
        guard !schemes.isEmpty, let scheme = CustomURL.scheme(of: text), schemes.contains(scheme)
        else { return nil }
        do throws(CustomURLFault) {
            return TransferURL(try CustomURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: CustomURLFault) -> ValueFault {
        switch fault {
        case .notAbsolute:
            ValueFault(.badURL, "a URL of a custom scheme begins with the scheme and `://`")
        case .reservedScheme(let scheme):
            ValueFault(.badURL, "the scheme `\(scheme)` cannot have a program of the job")
        case .userInformation:
            ValueFault(
                .badURL,
                "a user name or password is not allowed in a URL",
                help: "send it in a header field, the password as a secret"
            )
        case .badCharacter:
            ValueFault(
                .badURL,
                "a space, control character or backslash is not allowed in a URL",
                help: "write a space as `%20`"
            )
        }
    }
}

/// The `data` URL of a task.
enum DataURLText {
    static func parse(_ text: String) throws(ValueFault) -> TransferURL {
        do {
            return TransferURL(try DataURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: DataURLFault) -> ValueFault {
        switch fault {
        case .otherScheme: ValueFault(.badURL, "this is not a `data` URL")
        case .missingComma:
            ValueFault(
                .badURL,
                "the `data` URL has no comma between its media type and its content",
                help: "write it as `data:text/plain,content`"
            )
        case .badMediaType:
            ValueFault(
                .badURL,
                "the media type of the `data` URL is not of the form `type/subtype`",
                help: "write it as `data:text/plain,content`"
            )
        case .badBase64: ValueFault(.badURL, "the base64 of the `data` URL is not valid")
        case .badEscape:
            ValueFault(
                .badURL,
                "a `%` in the `data` URL is not followed by two hexadecimal digits",
                help: "write a percent sign as `%25`"
            )
        case .fragment:
            ValueFault(
                .badURL,
                "a `#` would end the content of the `data` URL",
                help: "write it as `%23`"
            )
        case .badCharacter:
            ValueFault(
                .badURL,
                "a line break or control character is not allowed in a `data` URL",
                help: "write a line break as `%0A`"
            )
        }
    }
}

/// The `file` URL of a task.
enum FileURLText {
    static func parse(_ text: String) throws(ValueFault) -> TransferURL {
        do {
            return TransferURL(try FileURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: FileURLFault) -> ValueFault {
        switch fault {
        case .otherScheme: ValueFault(.badURL, "this is not a `file` URL")
        case .otherHost:
            ValueFault(
                .badURL,
                "a `file` URL can only name this machine",
                help: "write it without a host: `file:///path`"
            )
        case .relativePath:
            ValueFault(
                .badURL,
                "the path of a `file` URL must be absolute",
                help: "write it as `file:///path`"
            )
        case .folder: ValueFault(.badURL, "the `file` URL names a folder")
        case .parent: ValueFault(.pathEscape, "a `file` URL may not have `..` in its path")
        case .delimiter(let character):
            ValueFault(
                .badURL,
                "a `file` URL has no part after `\(character)`",
                help: "write it as `\(character == "?" ? "%3F" : "%23")` in a name"
            )
        case .badEscape:
            ValueFault(
                .badURL,
                "the path of the `file` URL has an escape that is not a character of a name",
                help: "write a percent sign as `%25`"
            )
        case .badCharacter:
            ValueFault(
                .badURL,
                "a control character or backslash is not allowed in a `file` URL",
                help: "write a backslash as `%5C`"
            )
        }
    }
}

/// The URL of a task whose file is at a server of FTP or SSH.
enum FileServerURLText {
    static func parse(_ text: String) throws(ValueFault) -> TransferURL {
        let url: TransferURL
        do throws(TransferURL.FileServerFault) {
            url = try TransferURL(fileServer: text)
        } catch {
            throw fault(error, text)
        }
        try URLText.refuseUserInformation(of: url)
        return url
    }

    /// The fault of such a URL where only http and https have a meaning.
    static func elsewhere(_ text: String) -> ValueFault {
        let scheme = String(text.prefix { $0 != ":" }).lowercased()
        return ValueFault(
            .badURL,
            "`\(scheme)` URLs are not allowed here",
            help: "only a task itself may have one, as its `url`"
        )
    }

    private static func fault(_ fault: TransferURL.FileServerFault, _ text: String) -> ValueFault {
        switch fault {
        case .url(let fault): URLText.fault(fault, text)
        case .folder:
            ValueFault(
                .badURL,
                "the URL names a folder, and a task transfers one file",
                help: "add the name of the file"
            )
        case .parent:
            ValueFault(.pathEscape, "the URL of a file server may not have `..` in its path")
        case .delimiter(let character):
            ValueFault(
                .badURL,
                "the URL of a file server has no part after `\(character)`",
                help: "write it as `\(character == "?" ? "%3F" : "%23")` in a name"
            )
        case .badEscape:
            ValueFault(
                .badURL,
                "the path of the URL has a percent sign without two hexadecimal digits",
                help: "write a percent sign as `%25`"
            )
        case .controlCharacter:
            ValueFault(
                .badURL,
                "the path of the URL has an escaped control character, which could end a command"
            )
        case .transferType:
            ValueFault(
                .badURL,
                "`;type=` is not supported: files are always transferred as they are",
                help: "write it as `%3Btype=` in a name"
            )
        }
    }
}
