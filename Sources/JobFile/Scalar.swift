/// The type of a scalar by the core schema of YAML 1.2 (§10.3), with the job file's differences.
///
/// Only plain scalars can be anything but strings. `012` is a string, so that no reader takes it
/// for octal.
package enum Scalar: Sendable, Hashable {
    case null
    case bool(Bool)
    /// Decimal, `0x` or `0o`; nil beyond 64 bits, where only the text remains.
    case integer(Int64?)
    /// Also `.inf`, `-.inf` and `.nan`; a decimal too large is infinite.
    case float(Double)
    case string
    /// Only with the tag `!!timestamp`; the text is not checked here.
    case timestamp
    /// Only with the tag `!!binary`: bytes in Base64, which are not checked here.
    case binary
}
