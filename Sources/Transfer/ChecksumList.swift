internal import TransferModel

/// A list of checksums as `sha256sum`, `shasum --tag`, BSD's `sha256` and their like write it.
///
/// Lines of other forms, comments and signatures are passed over; so are digests of other algorithms. A class, because
/// many tasks share one list and most have none.
package final class ChecksumList: Sendable {
    /// The largest list that is read, bytes.
    package static let largestSize: Int64 = 16 << 20

    /// What looking for a name came to.
    enum Answer: Hashable {
        case found(Checksum)
        case missing
        /// The list has several digests that the name could mean.
        case ambiguous
    }

    private struct Entry: Sendable {
        /// Without `./` in front.
        var path: String
        var checksum: Checksum
    }

    /// By the last component of their paths.
    private let entries: [String: [Entry]]
    /// Digests that stand alone on their line.
    private let loneDigests: [Checksum]

    /// Reads a list; what is none has no entries.
    package init(_ bytes: [UInt8]) {
        var entries: [String: [Entry]] = [:]
        var loneDigests: [Checksum] = []
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard let (checksum, path) = Self.parse(line) else { continue }
            guard let path else {
                loneDigests.append(checksum)
                continue
            }
            let name = String(Self.components(of: path).last ?? "")
            entries[name, default: []].append(Entry(path: path, checksum: checksum))
        }
        self.entries = entries
        self.loneDigests = loneDigests
    }

    /// Looks for the first of some paths whose last component is in the list.
    ///
    /// Of several entries of that name those win that have most trailing components with the path in common. A list
    /// that is nothing but one digest answers for every name.
    func find(_ algorithm: Checksum.Algorithm, _ paths: [String]) -> Answer {
        for path in paths {
            let wanted = Self.components(of: path)
            guard let name = wanted.last, let named = entries[String(name)] else { continue }
            let usable = named.filter { $0.checksum.algorithm == algorithm }
            let overlaps = usable.map { entry in
                zip(Self.components(of: entry.path).reversed(), wanted.reversed())
                    .prefix { $0 == $1 }.count
            }
            guard let best = overlaps.max() else { continue }
            let checksums = Set(zip(usable, overlaps).filter { $1 == best }.map(\.0.checksum))
            guard checksums.count == 1, let checksum = checksums.first else { return .ambiguous }
            return .found(checksum)
        }
        let lone = Set(loneDigests.filter { $0.algorithm == algorithm })
        guard entries.isEmpty, let checksum = lone.first else { return .missing }
        return lone.count == 1 ? .found(checksum) : .ambiguous
    }

    private static func components(of path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }
    }

    // MARK: Lines

    private static func parse(_ line: ArraySlice<UInt8>) -> (Checksum, path: String?)? {
        // A backslash in front: the name has escapes (coreutils manual, `md5sum invocation`).
        let isEscaped = line.first == UInt8(ascii: "\\")
        let text = trimmed(isEscaped ? line.dropFirst() : line)
        guard let (checksum, name) = parseGNU(text) ?? parseBSD(text) else { return nil }
        return (checksum, name.map { path(isEscaped ? unescaped($0) : Array($0)) })
    }

    /// `hex  name`, `hex *name`, or `hex` alone.
    private static func parseGNU(
        _ line: ArraySlice<UInt8>
    ) -> (Checksum, name: ArraySlice<UInt8>?)? {
        let digits = line.prefix { $0.hexadecimalValue != nil }
        guard let checksum = checksum(digits) else { return nil }
        var rest = line[digits.endIndex...]
        guard let blank = rest.popFirst() else { return (checksum, nil) }
        guard isBlank(blank) else { return nil }
        if rest.first == UInt8(ascii: "*") { rest = rest.dropFirst() }
        rest = rest.drop(while: isBlank)
        return rest.isEmpty ? nil : (checksum, rest)
    }

    /// `SHA256 (name) = hex`.
    private static func parseBSD(
        _ line: ArraySlice<UInt8>
    ) -> (Checksum, name: ArraySlice<UInt8>?)? {
        guard let open = line.firstIndex(of: UInt8(ascii: "(")),
            let close = line.lastIndex(of: UInt8(ascii: ")")), open < close,
            let equals = line[close...].firstIndex(of: UInt8(ascii: "=")),
            let checksum = checksum(trimmed(line[(equals + 1)...]))
        else { return nil }
        let algorithm = String(decoding: trimmed(line[..<open]), as: UTF8.self)
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

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
}
