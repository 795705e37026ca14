internal import SystemKit

/// Finds offsets in a text by line and column, after one pass through it.
///
/// It remembers a position every few kilobytes, so that look-ups stay fast with many lines or a
/// huge one.
package struct LineIndex {
    private struct Place {
        var position: SourcePosition
        var offset: Int
    }

    private let source: SourceText
    private var places: [Place]
    /// The bytes between two remembered positions.
    private static let stride = 4_096

    /// The number of the last line, which is empty after a final line break.
    package let lastLine: Int

    /// Passes through the whole text once.
    package init(_ source: SourceText) {
        self.source = source
        let span = source.bytes.span
        var place = Place(
            position: SourcePosition(line: source.firstLine, column: 1),
            offset: source.base
        )
        var next = place.offset
        places = []
        while place.offset < span.count {
            if place.offset >= next {
                places.append(place)
                next = place.offset + Self.stride
            }
            Self.advance(&place, in: span)
        }
        if places.isEmpty { places.append(place) }
        lastLine = place.position.line
    }

    /// The bytes of a line without its break, by its 1-based number; nil if there is no such line.
    package func range(of line: Int) -> Range<Int>? {
        guard let start = offset(of: SourcePosition(line: line, column: 1)) else { return nil }
        let span = source.bytes.span
        var end = start
        while end < span.count, span.lineBreak(at: end) == 0 { end += 1 }
        return start..<end
    }

    /// The offset of the scalar at a position, or of the line's end if that is earlier; nil if
    /// there is no such line.
    package func offset(of position: SourcePosition) -> Int? { place(of: position)?.offset }

    /// The offset, and the column of that scalar.
    func place(of position: SourcePosition) -> (offset: Int, column: Int)? {
        guard position.line >= source.firstLine, position.line <= lastLine else { return nil }
        let span = source.bytes.span
        var place = lastPlace(notAfter: position)
        while place.offset < span.count, place.position < position {
            if place.position.line == position.line, span.lineBreak(at: place.offset) > 0 { break }
            Self.advance(&place, in: span)
        }
        return (place.offset, place.position.column)
    }

    private func lastPlace(notAfter position: SourcePosition) -> Place {
        places[(1..<places.count).partitioningIndex { places[$0].position > position } - 1]
    }

    private static func advance(_ place: inout Place, in span: Span<UInt8>) {
        let lineBreak = span.lineBreak(at: place.offset)
        if lineBreak > 0 {
            place.offset += lineBreak
            place.position = SourcePosition(line: place.position.line + 1, column: 1)
        } else {
            place.offset += span.scalar(at: place.offset)?.length ?? 1
            place.position.column += 1
        }
    }
}
