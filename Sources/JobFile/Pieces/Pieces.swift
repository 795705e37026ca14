internal import Diagnostics
internal import SystemKit

/// A text in pieces, of which each but the last can be read without those before it.
struct Pieces: Sendable {
    let source: SourceText
    /// Where the pieces begin.
    let cuts: [Cut]
    /// What was built from the text before the first piece, inside of a section.
    let head: TreeBuilder

    /// Bytes of the longest piece that is worth the memory of a second tree: there may be no place
    /// for a cut for long.
    private static let longest = 256 << 10

    init(of source: SourceText, at cuts: [Cut], behind head: TreeBuilder) {
        self.source = source
        self.cuts = cuts
        self.head = head.forParts
    }

    /// Whether a piece is one of those that a second thread reads.
    static func isAhead(_ piece: Int) -> Bool { piece % 2 != 0 }

    /// Reads a piece; nil when it is the last, when it is more than entries of one section, or when
    /// there is something to tell of it.
    func part(_ piece: Int) -> Part? {
        guard piece + 1 < cuts.count else { return nil }
        let start = cuts[piece]
        let limit = cuts[piece + 1].key
        guard limit - start.offset <= Self.longest else { return nil }
        var builder = head
        builder.beginPart(at: start, length: limit - start.offset)
        let end = EventReader.readEntries(
            source.bytes,
            from: start.offset,
            to: endOfLine(limit),
            line: 1
        ) {
            builder.build(from: $0, until: limit)
        }
        guard case .entry(let entry)? = end, entry.offset == limit, builder.isPart(behind: head)
        else { return nil }
        return Part(builder: builder, lines: entry.line - 1)
    }

    /// Behind the line of an offset, which has all that tells a key.
    private func endOfLine(_ offset: Int) -> Int {
        let rest = source.bytes.span.extracting(droppingFirst: offset)
        return offset + (rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.count)
    }
}

/// What was built from one piece, behind the head of the document.
struct Part: Sendable {
    let builder: TreeBuilder
    /// How many lines the piece has.
    let lines: UInt32
}
