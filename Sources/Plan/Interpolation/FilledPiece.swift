/// A piece of a scalar, and the expression that it came out of.
struct FilledPiece {
    var value: ScalarValue
    /// Nil for text of the job file.
    var expression: Expression?

    var isFilledIn: Bool { expression != nil }
}
