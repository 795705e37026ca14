internal import Diagnostics

/// What reads pieces of a text while others are read.
protocol PartsAhead {
    /// Begins to read; nil when nothing can be read ahead.
    init?(of pieces: Pieces)

    /// What has come of a piece; nil when whoever asks must read it.
    ///
    /// To be asked of pieces in order, some of which may be left out.
    mutating func part(of piece: Int) -> Part?

    /// Ends the reading.
    func finish()
}

/// Builds a tree from a text of which some pieces are read ahead, as if it were read at once.
///
/// A text is cut where it looks like an entry of a section, such as a task. That it is one is known
/// only when what stands before has been read: when libyaml gives just there, as a key of a mapping
/// in the outermost one, a plain scalar that begins its line. It then holds two columns of
/// indentation and no more, whatever it has gone through, as it does behind the opening that
/// `EventReader.readEntries` gives it; so from there on it gives the same events. A place inside of
/// a block of text, of quotes or of braces is never that of such a key, and what has been read from
/// there is not taken.
///
/// A part is taken, moreover, only where it has nothing to tell and no anchor. With a fault in it,
/// it is read here, in its turn; and where libyaml itself finds one, the text must be read at once,
/// since it tells where the mappings around began.
struct PiecewiseReading<Ahead: PartsAhead> {
    private let source: SourceText
    private var cuts: [Cut]
    private var builder: TreeBuilder
    /// The first cut that has not been come to.
    private var next = 0
    private var pieces: Pieces?
    private var ahead: Ahead?

    private init(_ source: SourceText, cursor: SourceCursor, cuts: [Cut]) {
        self.source = source
        self.cuts = cuts
        builder = TreeBuilder(source, cursor: cursor)
    }

    /// Reads a text; nil when it must be read at once.
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

    /// Reads the head, and then what stands behind parts that were taken.
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

    /// Reads to the end of the text, or to where a part can be taken; its end is then given.
    private mutating func read(from reader: borrowing EventReader) -> TreeBuilder.End {
        var end = builder.build(from: reader, until: limit)
        while case .entry(let entry) = end {
            if let behind = takeParts(at: entry) { return .entry(behind) }
            end = builder.build(from: reader, startingWith: .scalar, until: limit)
        }
        return end
    }

    private var limit: Int { next < cuts.count ? cuts[next].key : .max }

    /// Takes the parts that begin at an entry; nil when there are none.
    private mutating func takeParts(at entry: TreeBuilder.Entry) -> TreeBuilder.Entry? {
        while limit < entry.offset { next += 1 }
        if let pieces, builder.anchorCount != pieces.head.anchorCount {
            // No part can be taken any more.
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
