internal import CZlib

/// Compresses a stream to one gzip member (RFC 1952), piece by piece, in constant memory.
///
/// The member has no name and no time, so that equal input gives equal output. Not `Sendable`: one
/// thread uses it.
@safe package final class GzipCompressor {
    private static let bufferSize = 64 * 1024

    private let deflater: OpaquePointer

    /// Creates a compressor; nil when zlib or memory is missing.
    package init?() {
        guard let deflater = unsafe czlib_deflater_new() else { return nil }
        unsafe self.deflater = deflater
    }

    deinit { unsafe czlib_deflater_free(deflater) }

    /// Compresses bytes, and passes on the ready output.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the stream.
    ///   - isLast: Whether the stream ends behind them; nothing may follow then.
    ///   - write: Gets compressed bytes, perhaps none or several times.
    /// - Throws: The errors of `write`.
    package func compress<Failure: Error>(
        _ bytes: Span<UInt8>,
        isLast: Bool = false,
        to write: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var done = 0
        while true {
            let rest = bytes.extracting(droppingFirst: done)
            let (taken, made, hasEnded) = step(rest, isLast, &buffer)
            done += taken
            if made > 0 { try write(buffer.span.extracting(first: made)) }
            // A full buffer may leave compressed bytes inside zlib.
            let hasMore = made == buffer.count || done < bytes.count || (isLast && !hasEnded)
            if !hasMore || (taken == 0 && made == 0) { return }
        }
    }

    /// One call of deflate: the bytes taken, the bytes made, and whether the member is complete.
    private func step(
        _ bytes: Span<UInt8>,
        _ isLast: Bool,
        _ buffer: inout [UInt8]
    ) -> (taken: Int, made: Int, hasEnded: Bool) {
        let deflater = unsafe deflater
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe buffer.withUnsafeMutableBufferPointer { output in
                var next = input.baseAddress
                var left = input.count
                var room = output.count
                let progress = unsafe czlib_deflate(
                    deflater,
                    &next,
                    &left,
                    output.baseAddress,
                    &room,
                    isLast ? 1 : 0
                )
                return (input.count - left, output.count - room, progress == CZLIB_ENDED)
            }
        }
    }
}
