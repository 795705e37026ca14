internal import CurlKit
internal import SystemKit

/// The SHA-256 of what a run adds to a part, which grows with the part; and whether what earlier
/// runs have left is what the part's record says.
struct PrefixDigest: ~Copyable {
    /// The most that one look at what earlier runs have left reads while the part grows, bytes.
    static let lookLength: Int64 = 256 << 20

    /// What earlier runs have left and nobody has compared yet.
    private var earlier: ArraySlice<PartialRecord.Checkpoint>
    private var comparison: Stretch
    private var own: Stretch
    /// Whether what earlier runs have left is not what the record says.
    private(set) var isCorrupt = false

    /// - Parameter earlier: What earlier runs have left; what this one adds begins behind it.
    init(behind earlier: [PartialRecord.Checkpoint]) {
        self.earlier = earlier[...]
        comparison = Stretch(from: 0)
        own = Stretch(from: earlier.last?.length ?? 0)
    }

    /// Reads on in what this run has added.
    ///
    /// - Parameters:
    ///   - end: The length of the part that is to be vouched for.
    ///   - file: The part.
    /// - Returns: The digest of all that this run has added up to there; nil when that is nothing
    ///   or less than was read before, when the file is shorter, or libcrypto is not there.
    /// - Throws: What pread(2) says.
    mutating func extend(to end: Int64, of file: OutputFile) throws(SystemError) -> String? {
        guard end > own.start, try own.read(to: end, of: file) else { return nil }
        return own.digest?.current
    }

    /// Compares what earlier runs have left with the record.
    ///
    /// - Parameters:
    ///   - file: The part.
    ///   - limit: How much is read at most, bytes.
    ///   - isWorthwhile: Asked from time to time; the comparison goes on the next time.
    /// - Throws: What pread(2) says.
    mutating func compare(
        _ file: OutputFile,
        atMost limit: Int64 = .max,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) throws(SystemError) {
        var rest = limit
        while !isCorrupt, rest > 0, let checkpoint = earlier.first {
            let start = comparison.length
            let end = min(checkpoint.length, start + min(rest, 1 << 20))
            guard isWorthwhile() else { return }
            guard try comparison.read(to: end, of: file) else {
                isCorrupt = true
                return
            }
            rest -= end - start
            guard end == checkpoint.length else { continue }
            isCorrupt = comparison.digest?.current != checkpoint.digest
            earlier.removeFirst()
            comparison = Stretch(from: end)
        }
    }
}

/// The digest of a stretch of a file.
private struct Stretch {
    let start: Int64
    /// Where the stretch ends by now.
    private(set) var length: Int64
    /// nil without libcrypto.
    let digest = MessageDigest()

    init(from start: Int64) {
        self.start = start
        length = start
    }

    /// False when the file ends before, or more was read already.
    mutating func read(to end: Int64, of file: OutputFile) throws(SystemError) -> Bool {
        guard length < end, let digest else { return length == end && digest != nil }
        var buffer = [UInt8](repeating: 0, count: Int(clamping: min(end - length, 1 << 20)))
        while length < end {
            let count = min(try file.read(into: &buffer, at: length), Int(clamping: end - length))
            if count == 0 { return false }
            digest.update(buffer.span.extracting(first: count))
            length += Int64(count)
        }
        return true
    }
}
