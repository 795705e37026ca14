internal import TransferModel

/// The `data` URL of a task.
enum DataURLText {
    static func parse(_ text: String) throws(ValueFault) -> HTTPURL {
        do {
            return HTTPURL(try DataURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: DataURL.Fault) -> ValueFault {
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
