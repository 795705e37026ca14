internal import TransferModel

/// The value of an `Idempotency-Key` field: a string of RFC 8941 §3.3.3, as
/// draft-ietf-httpapi-idempotency-key-header asks for.
enum IdempotencyKeyText {
    /// The key in quotes; a quoted key may have only printable ASCII.
    static func parse(_ text: String) throws(ValueFault) -> String {
        try checkField(text)
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

    /// Refuses the value of a field that the job writes itself if it names no order.
    static func checkField(_ value: String) throws(ValueFault) {
        guard IdempotencyKeyField.isBlank(value) else { return }
        throw ValueFault(
            .badValue,
            "an idempotency key may not be \(value.isEmpty ? "empty" : "blank")",
            help:
                "write a value that identifies the request; without the key, the request is sent "
                + "only once"
        )
    }
}
