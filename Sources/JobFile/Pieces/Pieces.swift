internal import Diagnostics
internal import SystemKit

/// A text in pieces that can be read independently, except the last one.
struct Pieces: Sendable {
    let source: SourceText
    /// The starts of the pieces.
    let cuts: [Cut]
    /// The builder after the text before the first piece, inside a section.
    let head: TreeBuilder

    /// The bytes of the longest piece worth a second tree; cuts may be far apart.
    private static let longest = 256 << 10

    init(of source: SourceText, at cuts: [Cut], behind head: TreeBuilder) {
        self.source = source
        self.cuts = cuts
        self.head = head.forParts
    }

    /// Reads a piece; nil for the last one, for more than entries of one section, and for a piece
    /// with problems.
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

    /// The offset after the line, which contains the whole key.
    private func endOfLine(_ offset: Int) -> Int {
        let rest = source.bytes.span.extracting(droppingFirst: offset)
        return offset + (rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.count)
    }
}
