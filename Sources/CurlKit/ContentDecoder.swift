internal import CCurl
internal import SystemKit

/// Decodes the content coding of a body piece by piece (RFC 9110 §8.4.1), with libcurl's
/// decompression libraries.
///
/// libcurl accepts a coded body that ends too early; this decoder does not.
@safe package final class ContentDecoder {
    /// A supported coding, if its library is available.
    package enum Coding: Sendable, Hashable, CaseIterable {
        case gzip
        /// In zlib's format, as RFC 9110 §8.4.1.2 requires.
        case deflate
        case brotli
        /// With a window of at most 8 MiB (RFC 9659).
        case zstd

        /// The coding with a registered name, in any case (IANA HTTP Content Coding Registry).
        package init?(name: some StringProtocol) {
            switch name.lowercased() {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            case "br": self = .brotli
            case "zstd": self = .zstd
            default: return nil
            }
        }

        /// Whether the library is available; the first call loads it.
        package var isAvailable: Bool { ccurl_decoder_exists(library) != 0 }

        fileprivate var library: ccurl_coding {
            switch self {
            case .gzip, .deflate: CCURL_ZLIB
            case .brotli: CCURL_BROTLI
            case .zstd: CCURL_ZSTD
            }
        }
    }

    /// The result of decoding a piece.
    package enum Progress: Sendable, Hashable {
        case decoded
        /// The limit is reached; the next call continues with the rest.
        case unfinished
        /// The bytes are invalid for the coding.
        case corrupt
        /// The receiver wants no more bytes.
        case refused
    }

    /// How many bytes are decoded at a time, so that a small piece with much content is passed on
    /// gradually.
    private static let pieceSize = 64 << 10

    private let state: UnsafeMutableRawPointer
    private var buffer = [UInt8](repeating: 0, count: pieceSize)
    /// Whether the last byte so far ended a stream.
    package private(set) var hasEnded = false
    /// Whether the last call reached its limit.
    package private(set) var isUnfinished = false
    /// The coded bytes that the last call left.
    private var rest: [UInt8] = []

    /// Returns nil without the library.
    package init?(_ coding: Coding) {
        guard let state = unsafe ccurl_decoder_new(coding.library) else { return nil }
        unsafe self.state = unsafe state
    }

    deinit { unsafe ccurl_decoder_free(state) }

    /// Decodes the rest of the earlier calls' bytes and the next piece of the coded body.
    ///
    /// `take` is called with decoded bytes, at most 64 KiB at a time; false ends the decoding.
    /// `limit` is the number of decoded bytes at which the call ends.
    package func decode(
        _ coded: Span<UInt8>,
        atMost limit: Int = .max,
        _ take: (Span<UInt8>) -> Bool
    ) -> Progress {
        guard isUnfinished else {
            return unsafe coded.withUnsafeBufferPointer { coded in
                unsafe decode(from: coded.baseAddress, coded.count, limit, take)
            }
        }
        rest.append(coded)
        let all = rest
        return unsafe all.withUnsafeBufferPointer { all in
            unsafe decode(from: all.baseAddress, all.count, limit, take)
        }
    }

    private func decode(
        from start: UnsafePointer<UInt8>?,
        _ count: Int,
        _ limit: Int,
        _ take: (Span<UInt8>) -> Bool
    ) -> Progress {
        var (next, left) = unsafe (start, count)
        var (isOutputFull, total) = (isUnfinished, 0)
        isUnfinished = false
        while left > 0 || isOutputFull {
            if total >= limit {
                rest = unsafe Array(UnsafeBufferPointer(start: next, count: left))
                isUnfinished = true
                return .unfinished
            }
            let before = left
            var room = buffer.count
            let state = unsafe state
            let result = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                unsafe ccurl_decoder_run(state, &next, &left, buffer.baseAddress, &room)
            }
            let produced = buffer.count - room
            total += produced
            guard result != CCURL_DECODER_CORRUPT, produced > 0 || left < before || before == 0
            else { return .corrupt }
            hasEnded = result == CCURL_DECODER_ENDED
            isOutputFull = room == 0 && !hasEnded
            if produced > 0, !hand(produced, to: take) { return .refused }
        }
        return .decoded
    }

    private func hand(_ count: Int, to take: (Span<UInt8>) -> Bool) -> Bool {
        let buffer = buffer
        return take(buffer.span.extracting(first: count))
    }
}
