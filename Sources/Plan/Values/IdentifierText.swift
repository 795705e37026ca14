internal import Diagnostics

/// The name of a background session, which is the name of its journal too.
enum IdentifierText {
    /// The pattern of the JSON Schema.
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"

    /// The most characters, so that a file may be named after it.
    private static let longest = 100

    static let type = ValueType<String>(pattern: pattern, parse: parse)

    static func parse(_ text: String) throws(ValueFault) -> String {
        guard text.utf8.count <= longest, TaskID.isValid(text.utf8.span) else {
            throw ValueFault(
                .badID,
                "`\(text.excerpt)` is not the name of a background session",
                help: "it has up to \(longest) letters, digits, `.`, `_` and `-`, "
                    + "and begins with a letter or digit"
            )
        }
        return text
    }
}
