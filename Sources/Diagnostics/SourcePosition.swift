/// A place in a source text.
package struct SourcePosition: Sendable, Hashable, Comparable {
    /// 1-based.
    package var line: Int
    /// 1-based, in Unicode scalars.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A stretch of source text, its end not included.
package struct SourceRange: Sendable, Hashable {
    package var start: SourcePosition
    /// The position after the last scalar; equal to `start` for a point.
    package var end: SourcePosition

    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The point in front of a position.
    package init(_ point: SourcePosition) {
        start = point
        end = point
    }
}
