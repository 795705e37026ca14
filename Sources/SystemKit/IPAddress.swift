internal import Glibc

/// A numeric IP address of either version.
package struct IPAddress: Sendable, Hashable {
    /// How many bits it has: 32 or 128.
    package let bitCount: Int
    private let bits: UInt128

    /// Reads `192.0.2.1` or, with or without brackets, `2001:db8::1`, as inet_pton(3) does; nil for anything else.
    package init?(_ text: some StringProtocol) {
        var name = text[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        let isLong = name.utf8.contains(UInt8(ascii: ":"))
        var bytes: UInt128 = 0
        let family = isLong ? AF_INET6 : AF_INET
        guard unsafe inet_pton(family, String(name), &bytes) == 1 else { return nil }
        bitCount = isLong ? 128 : 32
        bits =
            isLong
            ? UInt128(bigEndian: bytes)
            : UInt128(UInt32(bigEndian: UInt32(truncatingIfNeeded: bytes)))
    }

    /// Whether both are of one version and begin with the same `count` bits (RFC 4632 §3.1, RFC 4291 §2.3).
    package func isInNetwork(of other: IPAddress, prefix count: Int) -> Bool {
        guard bitCount == other.bitCount, (0...bitCount).contains(count) else { return false }
        return (bits ^ other.bits) >> (bitCount - count) == 0
    }
}
