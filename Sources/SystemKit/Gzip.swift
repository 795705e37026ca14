internal import CZlib
internal import Glibc

/// The gzip format (RFC 1952), written by zlib.
package enum Gzip {
    /// The library's name, for messages.
    package static let library = "libz.so.1"

    /// Loads zlib and tells whether that worked.
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
