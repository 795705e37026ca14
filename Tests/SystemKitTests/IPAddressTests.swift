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
    func `what is no address is none`(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
