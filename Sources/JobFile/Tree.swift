internal import Diagnostics

/// The values of a document in text order, and the data that their records refer to.
struct Tree: Sendable {
    let source: [UInt8]
    var nodes: [Node] = []
    /// The text of scalars that differ from the source: escapes, folded lines.
    var arena: [UInt8] = []
    /// The ends of values that span several lines.
    var ends: [End] = []

    struct End {
        var line: UInt32
        var column: UInt32
    }

    /// The bit that marks an extent as an index into `ends` instead of a width.
    static let isMultiline: UInt32 = 1 << 31

    /// The index of an alias's target; for other values their own.
    @inline(__always)
    func resolved(_ index: Int) -> Int {
        nodes[index].kind == .alias ? Int(nodes[index].content) : index
    }

    /// Whether the next child of the open mapping at `index` is a key.
    func isMappingAwaitingKey(at index: Int) -> Bool {
        nodes[index].kind == .mapping && nodes[index].length % 2 == 0
    }

    /// Whether a value is the plain scalar `<<`.
    func isPlainMergeSign(_ index: Int) -> Bool {
        let node = nodes[index]
        guard node.kind == .scalar, node.length == 2, node.flags.contains(.isPlain) else {
            return false
        }
        return withBytes(of: index) { $0[0] == UInt8(ascii: "<") && $0[1] == UInt8(ascii: "<") }
    }

    /// The bytes of a scalar; empty for a collection or an alias.
    ///
    /// Inlined, because `Document.withBytes` stays generic for callers in other modules.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        of index: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let node = nodes[index]
        guard node.kind == .scalar else { return try body(Span()) }
        let first = Int(node.content)
        let range = first..<first + Int(node.length)
        return node.flags.contains(.isInArena)
            ? try body(arena.span.extracting(range)) : try body(source.span.extracting(range))
    }

    /// The text of a scalar, following aliases; empty for a collection.
    func text(of index: Int) -> String {
        withBytes(of: resolved(index)) { $0.text }
    }

    /// The position before a value.
    func point(_ index: Int) -> SourceRange {
        let node = nodes[index]
        return SourceRange(SourcePosition(line: Int(node.line), column: Int(node.column)))
    }

    /// The range of a value's text; an alias has its own.
    func range(of index: Int) -> SourceRange {
        let node = nodes[index]
        let isBlock =
            (node.kind == .mapping || node.kind == .sequence) && !node.flags.contains(.isFlow)
        guard isBlock else {
            return range(line: node.line, column: node.column, extent: node.extent)
        }
        // A block collection ends with its last child.
        var last = index
        var child = index + 1
        while child < Int(node.reach) {
            last = child
            child = nodes[child].next(after: child)
        }
        let start = SourcePosition(line: Int(node.line), column: Int(node.column))
        return SourceRange(start: start, end: last == index ? start : range(of: last).end)
    }

    /// The extent of a text in 32 bits: its width, or the index of its end.
    mutating func extent(from start: EventReader.Mark, to end: EventReader.Mark) -> UInt32 {
        if start.line == end.line, end.column >= start.column { return end.column - start.column }
        ends.append(End(line: end.line, column: end.column))
        return Self.isMultiline | UInt32(truncatingIfNeeded: ends.count - 1)
    }

    func range(line: UInt32, column: UInt32, extent: UInt32) -> SourceRange {
        let start = SourcePosition(line: Int(line), column: Int(column))
        guard extent & Self.isMultiline != 0 else {
            return SourceRange(
                start: start,
                end: SourcePosition(line: start.line, column: start.column + Int(extent))
            )
        }
        let end = ends[Int(extent & ~Self.isMultiline)]
        return SourceRange(
            start: start,
            end: SourcePosition(line: Int(end.line), column: Int(end.column))
        )
    }
}
