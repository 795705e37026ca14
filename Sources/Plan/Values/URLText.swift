internal import Diagnostics
internal import TransferModel

/// The URL of a task: absolute, http or https, without user information.
enum URLText {
    /// Schemes that the job file knows and the runner does not speak yet.
    private static let knownSchemes: Set<String> = ["ftp", "ftps", "sftp", "file", "data"]

    static let pattern = "^[hH][tT][tT][pP][sS]?://"

    /// Whether the beginning of a URL holds all of its scheme, host and port.
    static func hasOrigin(_ front: Substring) -> Bool {
        var slashes = 0
        for byte in front.utf8 {
            switch byte {
            // Those behind the scheme, then the one that ends the host.
            case UInt8(ascii: "/"): slashes += 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return slashes >= 2
            default: break
            }
            if slashes == 3 { return true }
        }
        return false
    }

    static func parse(_ text: String) throws(ValueFault) -> HTTPURL {
        try parse(text, like: nil)
    }

    /// Takes a URL apart; `other` is one whose origin it may well have.
    static func parse(_ text: String, like other: HTTPURL?) throws(ValueFault) -> HTTPURL {
        let url: HTTPURL
        do {
            url = try HTTPURL(text, like: other)
        } catch {
            throw fault(error, text)
        }
        guard !url.hasUserInformation else {
            throw ValueFault(
                .badURL,
                "a user name or password may not stand in a URL",
                help: "send it in the `Authorization` header of the task"
            )
        }
        return url
    }

    private static func fault(_ fault: HTTPURL.Fault, _ text: String) -> ValueFault {
        switch fault {
        case .notAbsolute:
            if let scheme = knownSchemes.first(where: { text.lowercased().hasPrefix($0 + ":") }) {
                return notYetSupported(scheme)
            }
            let hasHost = text.contains(".") && !text.contains(":") && text.first != "/"
            return ValueFault(
                .badURL,
                "`\(text.excerpt)` is not an absolute URL",
                likely: hasHost ? "https://" + text : nil,
                help: "begin with `https://` or `http://`"
            )
        case .unsupportedScheme(let scheme):
            if knownSchemes.contains(scheme) { return notYetSupported(scheme) }
            return ValueFault(.badURL, "the scheme `\(scheme)` is not known")
        case .missingHost:
            return ValueFault(.badURL, "the URL has no host")
        case .badHost:
            return ValueFault(.badURL, "the host has a character that may not stand there")
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
                "\(name) may not stand in a URL",
                help: byte == 0x20 ? "write it as `%20`" : nil
            )
        }
    }

    private static func notYetSupported(_ scheme: String) -> ValueFault {
        ValueFault(.notYetSupported, "the scheme `\(scheme)` is not supported yet")
    }
}
