internal import CCurl

/// A SHA-256 over bytes as they come (FIPS 180-4), by libcrypto.
@safe package final class SHA256Digest {
    private let context: UnsafeMutableRawPointer

    /// Returns nil when libcrypto is not there; libcurl must have been loaded.
    package init?() {
        guard let context = unsafe ccurl_sha256_new() else { return nil }
        unsafe self.context = unsafe context
    }

    deinit { unsafe ccurl_sha256_free(context) }

    package func update(_ bytes: Span<UInt8>) {
        let context = unsafe context
        unsafe bytes.withUnsafeBytes { buffer in
            _ = unsafe ccurl_sha256_update(context, buffer.baseAddress, buffer.count)
        }
    }

    /// The 32 bytes of the digest; nothing may be added afterwards.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe ccurl_sha256_final(context, &digest)
        return digest
    }

    /// The digest of one buffer as 64 hexadecimal digits; nil when libcrypto is not there.
    package static func hexadecimal(of bytes: borrowing [UInt8]) -> String? {
        guard let digest = SHA256Digest() else { return nil }
        digest.update(bytes.span)
        return hexadecimal(digest.finish())
    }

    /// Bytes as lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
