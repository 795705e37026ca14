internal import CZlib
internal import Glibc

/// The gzip format (RFC 1952), written by zlib.
package enum Gzip {
    /// The library's name, for messages.
    package static let library = "libz.so.1"

    /// Loads zlib and returns whether that worked.
    package static var isAvailable: Bool { czlib_load() == 1 }

    /// Compresses bytes to one gzip member without name and time, so that equal input gives equal
    /// output.
    ///
    /// - Returns: Nil when zlib or memory is missing, or for more than 4 GiB.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var count = 0
        let start = unsafe bytes.withUnsafeBytes {
            unsafe czlib_gzip($0.baseAddress, $0.count, &count)
        }
        guard let start = unsafe start else { return nil }
        defer { unsafe free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}

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
    ///   - isLast: Whether the stream ends after them; nothing may follow then.
    ///   - write: Gets compressed bytes, perhaps none or several times.
    /// - Throws: The errors of `write`.
    package func compress<Failure: Error>(
        _ bytes: Span<UInt8>,
        isLast: Bool = false,
        to write: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var done = 0
        let deflater = unsafe deflater
        while true {
            let rest = bytes.extracting(droppingFirst: done)
            let (taken, made, progress) = unsafe step(rest, &buffer) {
                unsafe czlib_deflate(deflater, $0, $1, $2, $3, isLast ? 1 : 0)
            }
            done += taken
            if made > 0 { try write(buffer.span.extracting(first: made)) }
            let isOpen = isLast && progress != CZLIB_ENDED
            // A full buffer may leave compressed bytes inside zlib.
            let hasMore = made == buffer.count || done < bytes.count || isOpen
            if !hasMore || (taken == 0 && made == 0) { return }
        }
    }
}

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
    package func expand(_ bytes: Span<UInt8>, to write: (Span<UInt8>) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var done = 0
        let inflater = unsafe inflater
        while true {
            let rest = bytes.extracting(droppingFirst: done)
            let (taken, made, progress) = unsafe step(rest, &buffer) {
                unsafe czlib_inflate(inflater, $0, $1, $2, $3)
            }
            guard progress != CZLIB_CORRUPT else { throw Corruption() }
            done += taken
            if taken > 0 || made > 0 { isComplete = progress == CZLIB_ENDED }
            if made > 0 { try write(buffer.span.extracting(first: made)) }
            // A full buffer may leave expanded bytes inside zlib.
            guard made == buffer.count || done < bytes.count, taken > 0 || made > 0 else { return }
        }
    }
}

/// One call of a function of zlib: the bytes taken, the bytes made, and the state of the stream.
///
/// `call` gets the next byte, the number of bytes left, the free room and its size, and advances
/// them.
private func step(
    _ bytes: Span<UInt8>,
    _ buffer: inout [UInt8],
    _ call: (
        UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>
    ) -> czlib_progress
) -> (taken: Int, made: Int, progress: czlib_progress) {
    unsafe bytes.withUnsafeBufferPointer { input in
        unsafe buffer.withUnsafeMutableBufferPointer { output in
            var next = input.baseAddress
            var left = input.count
            var room = output.count
            let progress = unsafe call(&next, &left, output.baseAddress, &room)
            return (input.count - left, output.count - room, progress)
        }
    }
}
