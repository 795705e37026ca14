internal import TransferModel

/// The URL of a task whose scheme a program of the session serves.
enum CustomURLText {
    /// Takes a URL apart; nil for a text with none of the schemes.
    static func parse(_ text: String, _ schemes: Set<String>) throws(ValueFault) -> HTTPURL? {
        guard !schemes.isEmpty, let scheme = CustomURL.scheme(of: text), schemes.contains(scheme)
        else { return nil }
        do throws(CustomURL.Fault) {
            return HTTPURL(try CustomURL(text))
        } catch {
            throw fault(error)
        }
    }

    private static func fault(_ fault: CustomURL.Fault) -> ValueFault {
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
