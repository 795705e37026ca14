import SystemKit
import Testing

@testable import NetworkPath

/// Messages as the kernel writes them, whole and cut.
@Suite struct GenericNetlinkTests {
    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let size = NetlinkRequest.bytes(of: UInt16(4 + value.count))
        let bytes = size + NetlinkRequest.bytes(of: type) + value
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private static let wireless =
        attribute(3, NetlinkRequest.bytes(of: Int32(4))) + attribute(4, Array("wlan0".utf8) + [0])
        + attribute(52, Array("Train 7".utf8))

    @Test func `an interface matches the name of its Wi-Fi network`() {
        let found = GenericNetlink.wirelessNetwork(in: Self.wireless.span)
        #expect(found?.interface == 4)
        #expect(found?.name == "Train 7")
    }

    @Test func `an interface without a network name is in no Wi-Fi network`() {
        let bytes = Self.attribute(3, NetlinkRequest.bytes(of: Int32(4))) + Self.attribute(52, [])
        let found = GenericNetlink.wirelessNetwork(in: bytes.span)
        #expect(found == nil)
    }

    private static let peers: [UInt8] = {
        let four = [2, 0, 0xC0, 0xC1, 198, 51, 100, 7] + [UInt8](repeating: 0, count: 8)
        let six =
            [10, 0, 0xC0, 0xC1, 0, 0, 0, 0, 0x20, 0x01, 0x0D, 0xB8]
            + [UInt8](repeating: 0, count: 11) + [9] + [0, 0, 0, 0]
        let list = [four, six, [2, 0, 1], [7, 7]].map { endpoint in
            attribute(0x8000, attribute(1, [1, 2, 3]) + attribute(4, endpoint))
        }
        return attribute(2, Array("wg0".utf8) + [0]) + attribute(0x8008, list.joined().map { $0 })
    }()

    @Test func `a WireGuard tunnel has the addresses of its peers`() {
        let found = GenericNetlink.wireGuardPeers(in: Self.peers.span)
        #expect(found.map(\.text) == ["198.51.100.7", "2001:db8::9"])
    }

    @Test func `damaged messages are not read beyond their end`() {
        for whole in [Self.wireless, Self.peers] {
            for count in 0...whole.count {
                let cut = Array(whole.prefix(count))
                _ = GenericNetlink.wireGuardPeers(in: cut.span)
                _ = GenericNetlink.wirelessNetwork(in: cut.span)
            }
            for position in whole.indices {
                for value: UInt8 in [0, 1, 3, 4, 0x7F, 0xFF] {
                    var changed = whole
                    changed[position] = value
                    _ = GenericNetlink.wireGuardPeers(in: changed.span)
                    _ = GenericNetlink.wirelessNetwork(in: changed.span)
                }
            }
        }
    }

    @Test func `a kernel without a netlink family gives no evidence`() throws {
        let socket = try GenericNetlink()
        // Any netlink family may be missing, and none is a fault.
        #expect(socket.wireGuardPeers(of: -1).isEmpty)
        _ = socket.wirelessNetworks()
        #expect(socket.multipathEndpointCount() ?? 0 >= 0)
    }
}
