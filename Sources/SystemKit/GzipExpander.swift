internal import CZlib

/// Expands a gzip stream (RFC 1952), piece by piece, in constant memory.
///
/// Members that follow each other are one stream. Not `Sendable`: one thread uses it.
@safe package final class GzipExpander {
    /// The fault of a stream that is no gzip, or that was damaged.
    package struct Corruption: Error {}

    private static let bufferSize = 256 * 1024

    private let inflater: OpaquePointer
    /// Whether the bytes so far end with a complete member.
    package private(set) var isComplete = false

    /// Creates an expander; nil when zlib or memory is missing.
    package init?() {
        guard let inflater = unsafe czlib_inflater_new() else { return nil }
        unsafe self.inflater = inflater
    }

    deinit { unsafe czlib_inflater_free(inflater) }

    /// Whether bytes begin like gzip.
    package static func isGzip(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B
    }

    /// Expands the next bytes of the stream.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the stream.
    ///   - write: Gets expanded bytes, perhaps none or several times.
    /// - Throws: `Corruption`; the errors of `write`.
    package func expand(
        _ bytes: Span<UInt8>,
        to write: (Span<UInt8>) throws -> Void
    ) throws {
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var done = 0
        while true {
            let (taken, made, progress) = step(bytes.extracting(droppingFirst: done), &buffer)
            guard progress != CZLIB_CORRUPT else { throw Corruption() }
            done += taken
            if taken > 0 || made > 0 { isComplete = progress == CZLIB_ENDED }
            if made > 0 { try write(buffer.span.extracting(first: made)) }
            // A full buffer may leave expanded bytes inside zlib.
            guard made == buffer.count || done < bytes.count, taken > 0 || made > 0 else { return }
        }
    }

    /// One call of inflate: the bytes taken, the bytes made, and the state of the stream.
    private func step(
        _ bytes: Span<UInt8>,
        _ buffer: inout [UInt8]
    ) -> (taken: Int, made: Int, progress: czlib_progress) {
        let inflater = unsafe inflater
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe buffer.withUnsafeMutableBufferPointer { output in
                var next = input.baseAddress
                var left = input.count
                var room = output.count
                let progress = unsafe czlib_inflate(
                    inflater,
                    &next,
                    &left,
                    output.baseAddress,
                    &room
                )
                return (input.count - left, output.count - room, progress)
            }
        }
    }
}
