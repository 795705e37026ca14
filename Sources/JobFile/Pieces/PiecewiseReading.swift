internal import Diagnostics

/// Reads some pieces of a text ahead.
protocol PartsAhead {
    /// Starts reading; nil when that is impossible.
    init?(of pieces: Pieces)

    /// The part of a piece; nil when the caller must read it.
    ///
    /// Call it with pieces in order; pieces may be skipped.
    mutating func part(of piece: Int) -> Part?

    /// Stops reading.
    func finish()
}

/// Builds a tree from a text with some pieces read ahead, as if in one pass.
///
/// A text is cut where a line looks like an entry of a section, such as a task. The text before
/// decides whether it is one: libyaml must report there a plain scalar at the start of a line, as a
/// key of a mapping in the outermost mapping. libyaml's state then consists of two indentation
/// columns, the same as after the opening of `EventReader.readEntries`, so the further events are
/// the same. Inside block text, quotes or braces there is never such a key, and a part that starts
/// there is discarded.
///
/// Only a part without problems and anchors is taken. A part with a problem is read again in its
/// turn. After a libyaml error the text is read in one pass, because the message names the starts
/// of the surrounding mappings.
struct PiecewiseReading<Ahead: PartsAhead> {
    private let source: SourceText
    private var cuts: [Cut]
    private var builder: TreeBuilder
    /// The next cut to reach.
    private var next = 0
    private var pieces: Pieces?
    private var ahead: Ahead?

    private init(_ source: SourceText, cursor: SourceCursor, cuts: [Cut]) {
        self.source = source
        self.cuts = cuts
        builder = TreeBuilder(source, cursor: cursor)
    }

    /// Reads a text; nil when it must be read in one pass.
    static func read(
        _ source: SourceText,
        cursor: SourceCursor,
        cuts: [Cut]
    ) -> (builder: TreeBuilder, isWhole: Bool)? {
        guard !cuts.isEmpty else { return nil }
        var reading = PiecewiseReading(source, cursor: cursor, cuts: cuts)
        switch reading.readAll(from: cursor.base) {
        case .whole: return (reading.builder, true)
        case .refused: return (reading.builder, false)
        case .broken, .entry, nil: return nil
        }
    }

    /// Reads the head and then the text after the taken parts.
    private mutating func readAll(from base: Int) -> TreeBuilder.End? {
        defer { ahead?.finish() }
        var end: TreeBuilder.End? = EventReader.read(source.bytes, from: base) { read(from: $0) }
        while case .entry(let entry)? = end {
            let start = cuts[next - 1].offset
            builder.cursor.restart(at: start)
            let count = source.bytes.count
            end = EventReader.readEntries(source.bytes, from: start, to: count, line: entry.line) {
                read(from: $0)
            }
        }
        return end
    }

    /// Reads to the end of the text, or to a part that can be taken; returns the part's end.
    private mutating func read(from reader: borrowing EventReader) -> TreeBuilder.End {
        var end = builder.build(from: reader, until: limit)
        while case .entry(let entry) = end {
            if let behind = takeParts(at: entry) { return .entry(behind) }
            end = builder.build(from: reader, startingWith: .scalar, until: limit)
        }
        return end
    }

    private var limit: Int { next < cuts.count ? cuts[next].key : .max }

    /// Takes the parts that begin at an entry; nil if there are none.
    private mutating func takeParts(at entry: TreeBuilder.Entry) -> TreeBuilder.Entry? {
        while limit < entry.offset { next += 1 }
        if let pieces, builder.anchorCount != pieces.head.anchorCount {
            // No more parts can be taken.
            ahead?.finish()
            ahead = nil
        }
        var place = entry
        while limit == place.offset {
            let piece = next
            next += 1
            guard let part = part(of: piece), let head = pieces?.head, builder.canTake(part)
            else { break }
            builder.take(part, behind: head, at: place.line)
            place = TreeBuilder.Entry(offset: limit, line: place.line + part.lines)
        }
        return place.offset > entry.offset ? place : nil
    }

    private mutating func part(of piece: Int) -> Part? {
        if pieces == nil {
            let pieces = Pieces(of: source, at: cuts, behind: builder)
            self.pieces = pieces
            ahead = Ahead(of: pieces)
        }
        return ahead?.part(of: piece)
    }
}
