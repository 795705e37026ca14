extension MessageDigest {
    /// The HMAC-SHA-256 of a message (RFC 2104); nil without libcrypto.
    package static func hmac(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8]? {
        let blockSize = 64
        guard let hashedKey = key.count > blockSize ? digest(of: key) : key else { return nil }
        let block = hashedKey + Array(repeating: 0, count: blockSize - hashedKey.count)
        return digest(of: block.map { $0 ^ 0x36 } + message).flatMap { inner in
            digest(of: block.map { $0 ^ 0x5C } + inner)
        }
    }

    private static func digest(of bytes: [UInt8]) -> [UInt8]? {
        guard let digest = MessageDigest() else { return nil }
        digest.update(bytes.span)
        return digest.finish()
    }
}
