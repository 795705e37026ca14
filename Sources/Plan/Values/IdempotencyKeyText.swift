/// The value of an `Idempotency-Key` field: a string of RFC 8941 §3.3.3, as
/// draft-ietf-httpapi-idempotency-key-header asks for.
enum IdempotencyKeyText {
    /// The key in quotes; only printable ASCII can stand in one.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault(.badValue, "a key may not be empty") }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            guard (0x20...0x7E).contains(scalar.value) else {
                throw ValueFault(.badValue, "a key has printable ASCII characters only")
            }
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
