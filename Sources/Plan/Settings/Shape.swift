/// The values that a setting accepts, for the JSON Schema and the listing.
indirect enum Shape: Sendable {
    /// Any scalar but null, taken as text; with a pattern that its text matches, and an example for
    /// the help of reports.
    case text(pattern: String?, example: String? = nil)
    /// A text that is never shown.
    case credential
    case boolean
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case choice([String])
    case either(Shape, Shape)
    case list(Shape)
    /// A list with at least one value.
    case nonEmptyList(Shape)
    /// A list with so many values.
    case tuple(Shape, ClosedRange<Int>)
    /// A value alone, or a list of such values.
    case oneOrMore(Shape)
    /// A mapping of known keys.
    case mapping(KeyTable)
    /// A mapping whose keys depend on the value of one of them: each table has one value for it.
    case variants(by: String, [KeyTable])
    /// A mapping whose keys are names that the job file chooses; with `x-…` as free space, or as
    /// names too.
    case named(Shape, pattern: String, hasFreeKeys: Bool)
    /// Such a mapping that has one name at least, and no free space.
    case someNamed(Shape, pattern: String)
    /// Any scalar, null included.
    case scalar
    /// Any value at all.
    case anything

    /// Whether a value may be a mapping.
    var mayBeMapping: Bool {
        switch self {
        case .mapping, .variants, .named, .someNamed, .anything: true
        case .either(let one, let other): one.mayBeMapping || other.mayBeMapping
        case .oneOrMore(let one): one.mayBeMapping
        default: false
        }
    }
}
