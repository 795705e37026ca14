internal import SystemKit
internal import TransferModel

/// A list of checksums in the formats of `sha256sum`, `shasum --tag`, BSD's `sha256` and similar
/// tools.
///
/// Other lines, comments, signatures and digests of other algorithms are skipped. A class, because
/// many tasks share one list and most have none.
package final class ChecksumList: Sendable {
    /// The largest list that is read, bytes.
    package static let largestSize: Int64 = 16 << 20

    /// The result of a look-up.
    enum Answer: Hashable {
        case found(Checksum)
        case missing
        /// The list has several digests for the name.
        case ambiguous
    }

    /// A listed file.
    private struct Entry: Sendable {
        /// The components of the path from last to first, each followed by a slash: sorted keys
        /// group paths with common trailing components.
        var key: [UInt8]
        var checksum: Checksum
        /// The number of changes of the checksum up to this entry.
        var changes = 0
    }

    /// Sorted by key, so that a long list of equal names costs no more than others.
    private let entries: [Checksum.Algorithm: [Entry]]
    /// The results for digests without a name.
    private let loneDigests: [Checksum.Algorithm: Answer]

    /// Whether the list has no checksum: usually a page that says why the list is missing.
    var isEmpty: Bool { entries.isEmpty && loneDigests.isEmpty }

    /// Parses a list; other text has no entries.
    package init(_ bytes: [UInt8]) {
        var entries: [Checksum.Algorithm: [Entry]] = [:]
        var loneDigests: [Checksum.Algorithm: Answer] = [:]
        let text = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard let (checksum, path) = Self.parse(line) else { continue }
            if let path {
                let entry = Entry(key: Self.key(of: path), checksum: checksum)
                entries[checksum.algorithm, default: []].append(entry)
            } else {
                let known = loneDigests[checksum.algorithm] ?? .found(checksum)
                loneDigests[checksum.algorithm] =
                    known == .found(checksum) ? known : .ambiguous
            }
        }
        self.entries = entries.mapValues(Self.sorted)
        self.loneDigests = loneDigests
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func sorted(_ entries: [Entry]) -> [Entry] {
        var entries = entries
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for index in entries.indices.dropFirst() {
            let isOther = entries[index].checksum != entries[index - 1].checksum
            entries[index].changes = entries[index - 1].changes + (isOther ? 1 : 0)
        }
        return entries
    }

    /// Looks up the first of some paths whose last component is in the list.
    ///
    /// Of several entries with that name, those with the most common trailing components win. A
    /// list with a single digest answers for every name. The time is logarithmic in the list's
    /// size.
    func find(_ algorithm: Checksum.Algorithm, _ paths: [String]) -> Answer {
        if let entries = entries[algorithm] {
            for path in paths {
                if let answer = Self.find(Self.key(of: path), in: entries) { return answer }
            }
        }
        return entries.isEmpty ? loneDigests[algorithm] ?? .missing : .missing
    }

    /// nil when no entry has the key's first component.
    private static func find(_ key: [UInt8], in entries: [Entry]) -> Answer? {
        // The best match is next to the key's position in the order.
        let place = entries.indices.partitioningIndex {
            !entries[$0].key.lexicographicallyPrecedes(key)
        }
        let neighbours = [place - 1, place].filter(entries.indices.contains)
        let shared = neighbours.map { commonComponents(entries[$0].key, key) }.max() ?? 0
        guard shared > 0 else { return nil }
        let prefix = key.prefix(shared)
        let first = entries.indices.partitioningIndex {
            !entries[$0].key.lexicographicallyPrecedes(prefix)
        }
        let end = (first..<entries.count).partitioningIndex {
            !entries[$0].key.starts(with: prefix)
        }
        guard first < end else { return nil }
        let isOne = entries[first].changes == entries[end - 1].changes
        return isOne ? .found(entries[first].checksum) : .ambiguous
    }

    /// The length of the common leading components of two keys, with their slashes.
    private static func commonComponents(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var count = 0
        for (index, (one, other)) in zip(left, right).enumerated() {
            guard one == other else { break }
            if one == UInt8(ascii: "/") { count = index + 1 }
        }
        return count
    }

    private static func key(of path: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(path.utf8.count + 1)
        for component in path.utf8.split(separator: UInt8(ascii: "/")).reversed()
        where !component.elementsEqual(".".utf8) {
            key += component
            key.append(UInt8(ascii: "/"))
        }
        return key
    }

    // MARK: Lines

    private static func parse(_ line: ArraySlice<UInt8>) -> (Checksum, path: String?)? {
        // A leading backslash means that the name has escapes (coreutils manual,
        // `md5sum invocation`).
        let isEscaped = line.first == UInt8(ascii: "\\")
        let text = (isEscaped ? line.dropFirst() : line).withoutOuterBlanks
        guard let (checksum, name) = parseGNU(text) ?? parseBSD(text) else { return nil }
        return (checksum, name.map { path(isEscaped ? unescaped($0) : Array($0)) })
    }

    /// `hex  name`, `hex *name`, or only `hex`.
    private static func parseGNU(
        _ line: ArraySlice<UInt8>
    ) -> (Checksum, name: ArraySlice<UInt8>?)? {
        let digits = line.prefix { $0.hexadecimalValue != nil }
        guard let checksum = checksum(digits) else { return nil }
        var rest = line[digits.endIndex...]
        guard let blank = rest.popFirst() else { return (checksum, nil) }
        guard blank.isBlank else { return nil }
        if rest.first == UInt8(ascii: "*") { rest = rest.dropFirst() }
        rest = rest.drop(while: \.isBlank)
        return rest.isEmpty ? nil : (checksum, rest)
    }

    /// `SHA256 (name) = hex`.
    private static func parseBSD(
        _ line: ArraySlice<UInt8>
    ) -> (Checksum, name: ArraySlice<UInt8>?)? {
        guard let open = line.firstIndex(of: UInt8(ascii: "(")),
            let close = line.lastIndex(of: UInt8(ascii: ")")), open < close,
            let equals = line[close...].firstIndex(of: UInt8(ascii: "=")),
            let checksum = checksum(line[(equals + 1)...].withoutOuterBlanks)
        else { return nil }
        let algorithm = String(decoding: line[..<open].withoutOuterBlanks, as: UTF8.self)
        let names =
            switch checksum.algorithm {
            case .sha256: ["sha256", "sha2-256", "sha-256"]
            case .sha512: ["sha512", "sha2-512", "sha-512"]
            }
        guard names.contains(algorithm.lowercased()), open + 1 < close else { return nil }
        return (checksum, line[(open + 1)..<close])
    }

    private static func checksum(_ digits: ArraySlice<UInt8>) -> Checksum? {
        let algorithm = Checksum.Algorithm.allCases.first { $0.size * 2 == digits.count }
        guard let algorithm else { return nil }
        var digest: [UInt8] = []
        digest.reserveCapacity(algorithm.size)
        var rest = digits
        while let high = rest.popFirst()?.hexadecimalValue,
            let low = rest.popFirst()?.hexadecimalValue
        {
            digest.append(high << 4 | low)
        }
        return digest.count == algorithm.size ? Checksum(algorithm, digest: digest) : nil
    }

    private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "n"): text.append(10)
            case UInt8(ascii: "r"): text.append(13)
            default: text.append(escaped)
            }
        }
        return text
    }

    private static func path(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
