internal import TransferModel

/// The `file` URL of a task.
enum FileURLText {
    static func parse(_ text: String) throws(ValueFault) -> HTTPURL {
        do {
            return HTTPURL(try FileURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: FileURL.Fault) -> ValueFault {
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
                "a `file` URL has no part behind `\(character)`",
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
