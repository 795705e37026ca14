internal import SystemKit

/// The request field by which a server can tell a repeated order
/// (draft-ietf-httpapi-idempotency-key-header).
package enum IdempotencyKeyField {
    /// The name of the field.
    package static let name = "Idempotency-Key"

    /// Whether a value of the field names no order: it has nothing but blanks and quotes.
    ///
    /// A server cannot tell a repeat by such a value, so a request that has only this value has no
    /// key.
    package static func isBlank(_ value: String) -> Bool {
        let bytes = value.utf8.span
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""): continue
            default: return false
            }
        }
        return true
    }
}

extension [HeaderField] {
    /// The idempotency key among the fields, as it stands in its field; nil without one and for a
    /// blank one.
    package var idempotencyKey: String? {
        first { $0.isNamed(IdempotencyKeyField.name) && !IdempotencyKeyField.isBlank($0.value) }?
            .value
    }
}
