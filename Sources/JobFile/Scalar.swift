/// What a scalar is by the core schema of YAML 1.2 (§10.3), with the differences that the job file
/// makes.
///
/// Only plain scalars can be something else than strings. `012` is a string, so that no reader
/// takes it for octal.
package enum Scalar: Sendable, Hashable {
    case null
    case bool(Bool)
    /// Decimal, `0x` or `0o`; nil beyond 64 bits, when only the text is left.
    case integer(Int64?)
    /// Also `.inf`, `-.inf` and `.nan`; a decimal too large is infinite.
    case float(Double)
    case string
    /// Only with the tag `!!timestamp`; the text is not looked at here.
    case timestamp
}

extension Scalar {
    /// What a text is as a plain scalar, for values that come from outside of the file.
    package init(plain text: String) {
        self = CoreSchema.resolve(text.utf8.span)
    }
}
