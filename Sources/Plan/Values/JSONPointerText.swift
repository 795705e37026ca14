internal import Diagnostics
internal import JSON
internal import SystemKit

/// Paths to values of a JSON document (RFC 6901).
enum JSONPointerText {
    static func parse(_ text: String) throws(ValueFault) -> JSONPointer {
        if let pointer = JSONPointer(text) { return pointer }
        throw ValueFault(
            .badPointer,
            "`\(text.excerpt)` is not a JSON pointer",
            likely: likely(text),
            help: "write a path such as `/items/0/id`, with `~0` for `~` and `~1` for `/`"
        )
    }

    /// A path without its first slash, or one as JSONPath and jq write it: `$.items[0].id`.
    private static func likely(_ text: String) -> String? {
        let path = text.withoutBytePrefix("$") ?? text[...]
        guard !path.containsBytes("~"), !path.isEmpty else { return nil }
        if path.containsBytes("/") { return path.hasBytePrefix("/") ? nil : "/" + path }
        let separators: [Character] = [".", "[", "]"]
        return path.split { separators.contains($0) }.map { "/" + $0 }.joined()
    }
}
