import SystemKit
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0", 8, true), ("11.0.0.0", "10.0.0.0", 8, false),
        ("10.1.2.3", "10.1.2.3", 32, true), ("10.1.2.2", "10.1.2.3", 32, false),
        ("10.1.2.2", "10.1.2.3", 31, true), ("8.8.8.8", "1.1.1.1", 0, true),
        ("::1", "::2", 126, true), ("::1", "::2", 128, false), ("[fe80::1]", "fe80::", 10, true),
        ("fec0::1", "fe80::", 10, false), ("::10.0.0.1", "10.0.0.1", 8, false),
        ("10.0.0.1", "10.0.0.1", 33, false), ("10.0.0.1", "10.0.0.1", -1, false),
    ])
    func `addresses of one network begin with the same bits`(
        text: String,
        network: String,
        prefix: Int,
        isInside: Bool
    ) throws {
        let address = try #require(IPAddress(text))
        let other = try #require(IPAddress(network))
        #expect(address.isInNetwork(of: other, prefix: prefix) == isInside)
    }

    @Test(arguments: ["", "a.test", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[]", "1.2.3.4:80", "g::"])
    func `an invalid address is nil`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: ["0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "2001:db8::1", "fe80::1"])
    func `an address is written as it was read, from its text and from its bytes`(
        text: String
    ) throws {
        let address = try #require(IPAddress(text))
        #expect(address.text == text)
        let bytes = address.bytes
        let fewer = Array(bytes.dropLast())
        #expect(IPAddress(bytes: bytes.span) == address)
        #expect(IPAddress(bytes: fewer.span) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true, false, false), ("::1", true, false, false),
        ("::ffff:127.0.0.1", true, false, false), ("169.254.1.1", false, true, false),
        ("fe80::1", false, true, false), ("224.0.0.1", false, false, true),
        ("ff02::1", false, false, true), ("192.0.2.1", false, false, false),
        ("::ffff:192.0.2.1", false, false, false), ("2001:db8::1", false, false, false),
    ])
    func `an address says how far it reaches`(
        text: String,
        isLoopback: Bool,
        isLinkLocal: Bool,
        isMulticast: Bool
    ) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == isLoopback)
        #expect(address.isLinkLocal == isLinkLocal)
        #expect(address.isMulticast == isMulticast)
    }

    @Test func `an IPv4 address is extracted from an IPv6 one`() {
        #expect(IPAddress("::ffff:192.0.2.1")?.unmapped == IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:db8::1")?.unmapped == IPAddress("2001:db8::1"))
        #expect(IPAddress.unspecified(bitCount: 32).text == "0.0.0.0")
        #expect(IPAddress.unspecified(bitCount: 128).text == "::")
    }
}
