import Glibc
import TestSupport

/// Large contents of files, made without a step for each byte: a debug build would need half a
/// second for some megabytes.
enum FileContent {
    private static let block = 1 << 16

    /// Bytes of which no two blocks are equal, so that a piece in the place of another one shows.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - mask: The bits to change in each byte: contents with two masks differ everywhere.
    /// - Returns: The bytes.
    static func patterned(_ count: Int, mask: UInt8 = 0) -> [UInt8] {
        let first = (0..<block).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) ^ mask }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block)
        while bytes.count < count {
            // Each block begins a byte later in the pattern than the one before.
            let start = bytes.count / block % block
            bytes += first[start...]
            bytes += first[..<start]
        }
        return Array(bytes[..<count])
    }

    /// Random bytes, the same for each state of the generator.
    static func random(_ count: Int, _ generator: inout SplitMix64) -> [UInt8] {
        let words = (0...count / 8).map { _ in generator.next() }
        return unsafe words.withUnsafeBytes { bytes in
            unsafe Array(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}

/// Compares contents of files in one call: the general operator takes ten nanoseconds for each byte
/// in a debug build.
func == (left: [UInt8], right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    let size = left.count
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            guard let left = left.baseAddress, let right = right.baseAddress else { return true }
            return unsafe memcmp(left, right, size) == 0
        }
    }
}
