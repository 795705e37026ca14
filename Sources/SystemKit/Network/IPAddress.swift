internal import Glibc

/// A numeric IP address of either version.
package struct IPAddress: Sendable, Hashable {
    /// The number of bits: 32 or 128.
    package let bitCount: Int
    private let bits: UInt128

    /// Reads `192.0.2.1` or, with or without brackets, `2001:db8::1`, as inet_pton(3) does; nil for
    /// anything else.
    package init?(_ text: some StringProtocol) {
        var name = text[...]
        if name.hasBytePrefix("["), name.hasByteSuffix("]"), name.utf8.count > 1 {
            let bytes = name.utf8
            let first = bytes.index(after: bytes.startIndex)
            name = name[first..<bytes.index(first, offsetBy: bytes.count - 2)]
        }
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

    /// Reads an IPv4 address of one to four numbers, also octal or hexadecimal ones, as
    /// inet_aton(3) does; nil for anything else.
    package init?(shorthand text: String) {
        var address = in_addr()
        guard unsafe inet_aton(text, &address) != 0 else { return nil }
        self.init(bitCount: 32, bits: UInt128(UInt32(bigEndian: address.s_addr)))
    }

    /// Reads the 4 or 16 bytes of an address in network order; nil for another count.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        bitCount = bytes.count * 8
        var bits: UInt128 = 0
        for index in bytes.indices { bits = bits << 8 | UInt128(bytes[index]) }
        self.bits = bits
    }

    /// The address with all bits 0.
    package static func unspecified(bitCount: Int) -> IPAddress {
        IPAddress(bitCount: bitCount, bits: 0)
    }

    private init(bitCount: Int, bits: UInt128) {
        self.bitCount = bitCount
        self.bits = bits
    }

    /// The 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        stride(from: bitCount - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> $0)
        }
    }

    /// The IPv4 address of an IPv4-mapped address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2), else
    /// itself.
    package var unmapped: IPAddress {
        guard bitCount == 128, bits >> 32 == 0xFFFF else { return self }
        return IPAddress(bitCount: 32, bits: bits & 0xFFFF_FFFF)
    }

    /// Whether the address never leaves the machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool {
        let own = unmapped
        return own.bitCount == 32 ? own.bits >> 24 == 127 : own.bits == 1
    }

    /// Whether the address is link-local (RFC 3927 §2.1, RFC 4291 §2.5.6).
    package var isLinkLocal: Bool {
        bitCount == 32 ? bits >> 16 == 0xA9FE : bits >> 118 == 0xFE80 >> 6
    }

    /// Whether the address is a multicast address (RFC 5771, RFC 4291 §2.7).
    package var isMulticast: Bool {
        bitCount == 32 ? bits >> 28 == 0xE : bits >> 120 == 0xFF
    }

    /// The text of inet_ntop(3).
    package var text: String {
        let family = bitCount == 32 ? AF_INET : AF_INET6
        let bytes = bytes
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else {
            return ""
        }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }

    /// Whether both addresses have the same version and the same first `count` bits (RFC 4632 §3.1,
    /// RFC 4291 §2.3).
    package func isInNetwork(of other: IPAddress, prefix count: Int) -> Bool {
        guard bitCount == other.bitCount, (0...bitCount).contains(count) else { return false }
        return (bits ^ other.bits) >> (bitCount - count) == 0
    }
}
