internal import Diagnostics
internal import SystemKit

/// The name of a background session, which is the name of its journal too, or of a storage.
enum IdentifierText {
    /// The pattern of the JSON Schema.
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"

    /// The most characters, so that a file may be named after it.
    private static let longest = 100

    static let type = ValueType<String>(pattern: pattern) { text throws(ValueFault) in
        try parse(text, noun: "background session")
    }

    /// Reads the name of a thing, which `noun` calls by its kind.
    static func parse(
        _ text: String,
        noun: String = "background session"
    ) throws(ValueFault) -> String {
        guard text.utf8.count <= longest, TaskID.isValid(text.utf8.span) else {
            throw ValueFault(
                .badID,
                "`\(text.excerpt)` is not the name of a \(noun)",
                help: "it has up to \(longest) letters, digits, `.`, `_` and `-`, "
                    + "and begins with a letter or digit"
            )
        }
        return text
    }
}

/// The ids of tasks and the names of sessions.
enum TaskID {
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$"

    /// Whether the bytes match the pattern.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0].isAlphanumeric else { return false }
        for index in bytes.indices where !bytes[index].isAlphanumeric {
            switch bytes[index] {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): continue
            default: return false
            }
        }
        return true
    }
}
