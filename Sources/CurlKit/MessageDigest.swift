internal import CCurl

/// An incremental digest of SHA-2 (FIPS 180-4) or MD5 (RFC 1321), by libcrypto.
@safe package final class MessageDigest {
    /// The algorithm, by its digest's size in bits.
    package enum Algorithm: Int, Sendable, Hashable {
        case sha256 = 256
        case sha512 = 512
        /// For HTTP's Digest alone: it protects no file.
        case md5 = 128
    }

    private let algorithm: Algorithm
    private let context: UnsafeMutableRawPointer

    /// Returns nil without libcrypto, which is loaded with libcurl, and where its rules forbid the
    /// algorithm.
    package init?(_ algorithm: Algorithm = .sha256) {
        guard unsafe ccurl_load() == nil,
            let context = unsafe ccurl_digest_new(Int32(algorithm.rawValue))
        else { return nil }
        self.algorithm = algorithm
        unsafe self.context = unsafe context
    }

    deinit { unsafe ccurl_digest_free(context) }

    /// Adds bytes to the digest.
    package func update(_ bytes: Span<UInt8>) {
        let context = unsafe context
        unsafe bytes.withUnsafeBytes { buffer in
            _ = unsafe ccurl_digest_update(context, buffer.baseAddress, buffer.count)
        }
    }

    /// The digest of the bytes so far in hexadecimal digits; more bytes may follow; nil without
    /// memory.
    package var current: String? {
        var digest = [UInt8](repeating: 0, count: algorithm.rawValue / 8)
        guard unsafe ccurl_digest_current(context, &digest) == 1 else { return nil }
        return Self.hexadecimal(digest)
    }

    /// The final digest; no more bytes may follow.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: algorithm.rawValue / 8)
        _ = unsafe ccurl_digest_final(context, &digest)
        return digest
    }

    /// The SHA-256 of one buffer as 64 hexadecimal digits; nil without memory or libcrypto.
    package static func sha256(of bytes: borrowing [UInt8]) -> String? {
        digest(of: bytes).map(hexadecimal)
    }

    private static func digest(of bytes: borrowing [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = unsafe bytes.withUnsafeBytes { buffer in
            unsafe ccurl_load() == nil
                && ccurl_sha256(buffer.baseAddress, buffer.count, &digest) == 1
        }
        return isMade ? digest : nil
    }

    /// Bytes as lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            func digit(_ value: UInt8) -> UInt8 {
                value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
            }
            for (index, byte) in bytes.enumerated() {
                unsafe text[2 * index] = digit(byte >> 4)
                unsafe text[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }
}

extension MessageDigest {
    /// The HMAC-SHA-256 of a message (RFC 2104); nil without libcrypto.
    package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
        let blockSize = 64
        guard let key = key.count > blockSize ? digest(of: key) : key else { return nil }
        func hash(_ text: [UInt8], padding: UInt8) -> [UInt8]? {
            var bytes = Array(repeating: padding, count: blockSize)
            for index in key.indices { bytes[index] ^= key[index] }
            return digest(of: bytes + text)
        }
        return hash(message, padding: 0x36).flatMap { hash($0, padding: 0x5C) }
    }
}
