internal import SystemKit
internal import TransferModel

/// The name of a field line, whatever its capitals, with a hash by which most others are told from it.
struct FieldName {
    fileprivate let bytes: [UInt8]
    fileprivate let range: Range<Int>
    fileprivate let hash: UInt64

    fileprivate init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in range {
            hash = (hash ^ UInt64(bytes[index].asciiLowercased)) &* 0x100_0000_01B3
        }
        self.hash = hash
    }

    fileprivate func isSame(as other: FieldName) -> Bool {
        guard hash == other.hash, range.count == other.range.count else { return false }
        let (first, second) = (range.lowerBound, other.range.lowerBound)
        for offset in 0..<range.count
        where bytes[first + offset].asciiLowercased
            != other.bytes[second + offset].asciiLowercased
        {
            return false
        }
        return true
    }
}

/// Some names of fields.
struct FieldNames {
    private var names: [FieldName]

    init(_ names: [String]) {
        self.names = names.map(Self.name)
    }

    mutating func insert(_ name: String) { names.append(Self.name(name)) }

    func contains(_ name: FieldName) -> Bool { names.contains { $0.isSame(as: name) } }

    private static func name(_ text: String) -> FieldName {
        FieldName(Array(text.utf8), 0..<text.utf8.count)
    }
}

/// Field lines whose places were found once, to be compared with others and put together anew.
struct FieldLines {
    private struct Line {
        let name: FieldName
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private var lines: [Line] = []

    init(_ fields: HeaderFields) {
        bytes = fields.lines
        lines.reserveCapacity(fields.count)
        var start = 0
        while let line = fields.nextLine(from: &start) {
            lines.append(Line(name: FieldName(bytes, line.name), value: line.value))
        }
    }

    /// The lines whose name passes.
    func filtered(_ isIncluded: (FieldName) -> Bool) -> FieldLines {
        var result = self
        result.lines = lines.filter { isIncluded($0.name) }
        return result
    }

    /// The fields whose name passes, as they are.
    func kept(_ isIncluded: (FieldName) -> Bool) -> HeaderFields {
        var result = HeaderFields()
        result.reserveCapacity(bytes.count)
        for line in lines where isIncluded(line.name) { append(line, to: &result) }
        return result
    }

    func append(to fields: inout HeaderFields) {
        for line in lines { append(line, to: &fields) }
    }

    private func append(_ line: Line, to fields: inout HeaderFields) {
        let span = bytes.span
        fields.append(
            line: span.extracting(line.name.range.lowerBound..<line.value.upperBound)
        )
    }

    /// Whether one of the lines has that name.
    func contains(_ name: FieldName) -> Bool { lines.contains { $0.name.isSame(as: name) } }

    /// Whether each line stands among others, too.
    func isPart(of others: FieldLines) -> Bool {
        lines.allSatisfy { line in
            let value = bytes.span.extracting(line.value)
            return others.lines.contains { other in
                other.name.isSame(as: line.name)
                    && value.equals(others.bytes.span.extracting(other.value))
            }
        }
    }
}
