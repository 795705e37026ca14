/// The request field by which a server recognizes a repeated request
/// (draft-ietf-httpapi-idempotency-key-header).
package enum IdempotencyKeyField {
    /// The name of the field.
    package static let name = "Idempotency-Key"

    /// Whether a value is empty: only blanks and quotes.
    ///
    /// No server can recognize a repeat by such a value, so it does not count as a key.
    package static func isBlank(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { $0 == "\"" || $0.properties.isWhitespace }
    }
}

extension [HeaderField] {
    /// The idempotency key among the fields, as written; nil for none or a blank one.
    package var idempotencyKey: String? {
        first { $0.isNamed(IdempotencyKeyField.name) && !IdempotencyKeyField.isBlank($0.value) }?
            .value
    }
}
