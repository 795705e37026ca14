internal import JobFile

/// A piece of a scalar, and the expression that it came out of.
struct FilledPiece {
    var value: ScalarValue
    /// Nil for text of the job file.
    var expression: Expression?

    var isFilledIn: Bool { expression != nil }

    /// Whether the piece is a null value of the row that has no fallback.
    var isNullItem: Bool {
        expression?.namespace == .item && expression?.rule == .required && value.type == .null
    }
}
