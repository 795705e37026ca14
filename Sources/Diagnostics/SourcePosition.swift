/// A position in a source text.
package struct SourcePosition: Sendable, Hashable, Comparable {
    /// 1-based.
    package var line: Int
    /// 1-based, in Unicode scalars.
    package var column: Int

    /// A position with 1-based numbers.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// By line, then by column.
    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A range of source text, with an exclusive end.
package struct SourceRange: Sendable, Hashable {
    /// The position of the first scalar.
    package var start: SourcePosition
    /// The position after the last scalar; equal to `start` for an empty range.
    package var end: SourcePosition

    /// The text between two positions, the second excluded.
    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The empty range before a position.
    package init(_ point: SourcePosition) {
        start = point
        end = point
    }
}
