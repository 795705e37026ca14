internal import SystemKit
internal import TransferModel

/// Field lines with known positions, for comparing and recombining without parsing again; or names
/// alone.
///
/// Names are case-insensitive.
struct FieldLines {
    private struct Line {
        let name: Range<Int>
        /// Empty for a name alone.
        let value: Range<Int>
    }

    private var bytes: [UInt8]
    private var lines: [Line] = []
    /// A bit for each length of a present or removed name; all lengths from 63 on share one bit.
    ///
    /// This mask alone rules out most absent names.
    private var lengths: UInt64 = 0

    init(_ fields: HeaderFields) {
        bytes = fields.lines
        lines.reserveCapacity(fields.count)
        var start = 0
        while let (name, value) = fields.nextLine(from: &start) {
            append(Line(name: name, value: value))
        }
    }

    init(names: [String]) {
        bytes = []
        for name in names { insert(name) }
    }

    mutating func insert(_ name: String) {
        let start = bytes.count
        bytes.append(name.utf8.span)
        append(Line(name: start..<bytes.count, value: bytes.count..<bytes.count))
    }

    private mutating func append(_ line: Line) {
        lines.append(line)
        lengths |= Self.bit(of: line)
    }

    private static func bit(of line: Line) -> UInt64 { 1 << UInt64(min(line.name.count, 63)) }

    /// The lines except those with some names.
    func without(_ names: FieldLines) -> FieldLines {
        var result = self
        result.lines.removeAll(keepingCapacity: true)
        for line in lines where !names.has(line, of: self) { result.lines.append(line) }
        return result
    }

    /// Only the lines with some names.
    func only(_ names: FieldLines) -> FieldLines {
        var result = self
        result.lines.removeAll(keepingCapacity: true)
        for line in lines where names.has(line, of: self) { result.lines.append(line) }
        return result
    }

    /// Whether the other lines contain each line.
    func isPart(of others: FieldLines) -> Bool {
        for line in lines where !others.has(line, of: self, withValue: true) { return false }
        return true
    }

    /// Whether a line has the name of another line and, if asked, its value.
    private func has(_ other: Line, of others: FieldLines, withValue: Bool = false) -> Bool {
        guard lengths & Self.bit(of: other) != 0 else { return false }
        let (own, foreign) = (bytes.span, others.bytes.span)
        let name = foreign.extracting(other.name)
        for line in lines where own.extracting(line.name).isEqualIgnoringCase(name) {
            if !withValue || own.extracting(line.value).equals(foreign.extracting(other.value)) {
                return true
            }
        }
        return false
    }

    /// The lines as fields, followed by other lines.
    func fields(and others: FieldLines? = nil) -> HeaderFields {
        var result = HeaderFields()
        result.reserveCapacity(bytes.count + (others?.bytes.count ?? 0))
        append(to: &result)
        others?.append(to: &result)
        return result
    }

    private func append(to fields: inout HeaderFields) {
        let span = bytes.span
        for line in lines {
            fields.append(sentLine: span.extracting(line.name.lowerBound..<line.value.upperBound))
        }
    }
}
