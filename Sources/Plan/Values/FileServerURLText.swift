internal import TransferModel

/// The URL of a task whose file is at a server of FTP or SSH.
enum FileServerURLText {
    static func parse(_ text: String) throws(ValueFault) -> HTTPURL {
        let url: HTTPURL
        do throws(HTTPURL.FileServerFault) {
            url = try HTTPURL(fileServer: text)
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

    private static func fault(_ fault: HTTPURL.FileServerFault, _ text: String) -> ValueFault {
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
                "the URL of a file server has no part behind `\(character)`",
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
