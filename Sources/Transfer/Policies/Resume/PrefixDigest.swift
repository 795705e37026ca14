internal import CurlKit
internal import SystemKit

/// The growing SHA-256 of the bytes that a run adds to a part, before the first gap and after it,
/// and a check of the bytes from earlier runs against the part's record.
struct PrefixDigest: ~Copyable {
    /// The most bytes of earlier runs that one check reads while the part grows.
    static let lookLength: Int64 = 256 << 20

    /// The stretches of earlier runs that were not compared yet.
    private var earlier: ArraySlice<PartialRecord.Checkpoint>
    private var comparison: Stretch
    private let own: Stretch
    /// The pieces of earlier runs that were not compared yet.
    private var earlierPieces: ArraySlice<PartialRecord.Piece>
    private var pieceComparison: Stretch?
    /// The pieces that this run vouches for, by their beginnings: its own, and compared ones of
    /// earlier runs, which grow by the bytes that follow them.
    private var ownPieces: [Int64: Stretch] = [:]
    /// How often the pieces were dropped when they were forgotten last.
    private var forgottenDrops = 0
    /// Whether the bytes of earlier runs differ from the record.
    private(set) var isCorrupt = false

    /// - Parameters:
    ///   - earlier: The stretches of earlier runs; the bytes of this run follow them.
    ///   - pieces: The pieces of earlier runs after gaps.
    init(behind earlier: [PartialRecord.Checkpoint], pieces: [PartialRecord.Piece] = []) {
        self.earlier = earlier[...]
        earlierPieces = pieces[...]
        comparison = Stretch(from: 0)
        own = Stretch(from: earlier.last?.length ?? 0)
    }

    /// The offset from which on bytes of earlier runs lie that were not compared with the record;
    /// nil when there are none after gaps.
    ///
    /// A digest of this run must not vouch for them.
    var firstUnproven: Int64? { earlierPieces.first?.range.lowerBound }

    /// The pieces of earlier runs that were not compared with the record.
    var unprovenPieces: [PartialRecord.Piece] { Array(earlierPieces) }

    /// Forgets the pieces when they were dropped again: their bytes are fetched anew.
    ///
    /// - Parameter drops: How often the download has dropped its pieces.
    mutating func forgetPieces(dropped drops: Int) {
        guard drops > forgottenDrops else { return }
        forgottenDrops = drops
        earlierPieces = []
        pieceComparison = nil
        ownPieces = [:]
    }

    /// Hashes the pieces that this run vouches for.
    ///
    /// - Returns: The pieces that could be read, with their digests.
    mutating func pieces(
        _ ranges: [Range<Int64>],
        of file: OutputFile
    ) throws(SystemError) -> [PartialRecord.Piece] {
        var (kept, pieces): ([Int64: Stretch], [PartialRecord.Piece]) = ([:], [])
        for range in ranges {
            let start = range.lowerBound
            var stretch = ownPieces[start] ?? Stretch(from: start)
            // A part that was dropped and fetched again may be shorter than before.
            if stretch.length > range.upperBound { stretch = Stretch(from: start) }
            guard try stretch.read(to: range.upperBound, of: file),
                let digest = stretch.digest?.current
            else { continue }
            kept[start] = stretch
            pieces.append(.init(range: range, digest: digest))
        }
        ownPieces = kept
        return pieces
    }

    /// Hashes more of the bytes that this run added.
    ///
    /// - Parameters:
    ///   - end: The length of the part to vouch for.
    ///   - file: The part.
    /// - Returns: The digest of all bytes that this run added up to `end`. It is nil when there are
    ///   none or fewer than were already hashed, when the file is shorter, or without libcrypto.
    /// - Throws: The error of pread(2).
    mutating func extend(to end: Int64, of file: OutputFile) throws(SystemError) -> String? {
        guard end > own.start, try own.read(to: end, of: file) else { return nil }
        return own.digest?.current
    }

    /// Compares the bytes of earlier runs with the record.
    ///
    /// - Parameters:
    ///   - file: The part.
    ///   - limit: The most bytes to read.
    ///   - isWorthwhile: Called after each MiB; false postpones the rest to the next call.
    /// - Throws: The error of pread(2).
    mutating func compare(
        _ file: OutputFile,
        atMost limit: Int64 = .max,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) throws(SystemError) {
        var rest = limit
        while !isCorrupt, rest > 0, let checkpoint = earlier.first {
            let start = comparison.length
            let end = min(checkpoint.length, start + min(rest, 1 << 20))
            guard rest == limit || isWorthwhile() else { return }
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
        try comparePieces(file, rest, of: limit, while: isWorthwhile)
    }

    private mutating func comparePieces(
        _ file: OutputFile,
        _ rest: Int64,
        of limit: Int64,
        while isWorthwhile: @Sendable () -> Bool
    ) throws(SystemError) {
        var rest = rest
        while !isCorrupt, rest > 0, let piece = earlierPieces.first {
            let stretch = pieceComparison ?? Stretch(from: piece.range.lowerBound)
            pieceComparison = stretch
            let start = stretch.length
            let end = min(piece.range.upperBound, start + min(rest, 1 << 20))
            guard rest == limit || isWorthwhile() else { return }
            // A shorter file has lost the piece, which is fetched again.
            guard try stretch.read(to: end, of: file) else { return }
            rest -= end - start
            guard end == piece.range.upperBound else { continue }
            guard stretch.digest?.current == piece.digest else {
                isCorrupt = true
                return
            }
            earlierPieces.removeFirst()
            pieceComparison = nil
            ownPieces[piece.range.lowerBound] = stretch
        }
    }
}

/// The digest of a stretch of a file, which also holds what was hashed before a failed read.
private final class Stretch {
    let start: Int64
    /// The present end of the stretch.
    private(set) var length: Int64
    /// nil without libcrypto.
    let digest = MessageDigest()

    init(from start: Int64) {
        self.start = start
        length = start
    }

    /// Hashes up to `end`; false when the file is shorter, or more was hashed already.
    func read(to end: Int64, of file: OutputFile) throws(SystemError) -> Bool {
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
