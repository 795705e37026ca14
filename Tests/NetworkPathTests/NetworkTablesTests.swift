import SystemKit
import Testing

@testable import NetworkPath

/// Messages as the kernel writes them, whole and cut.
@Suite struct NetworkTablesTests {
    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let size = NetlinkRequest.bytes(of: UInt16(4 + value.count))
        let bytes = size + NetlinkRequest.bytes(of: type) + value
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private static func message(_ kind: NetlinkHeader.Kind, _ body: [UInt8]) -> [UInt8] {
        NetlinkRequest.bytes(of: UInt32(16 + body.count))
            + NetlinkRequest.bytes(of: kind.rawValue) + [0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + body
    }

    private static func number(_ value: UInt32) -> [UInt8] { NetlinkRequest.bytes(of: value) }

    private static func link(
        _ index: UInt32,
        _ name: String,
        flags: UInt32 = 1,
        state: UInt8 = 6,
        more: [UInt8] = []
    ) -> [UInt8] {
        let fixed = [0, 0] + NetlinkRequest.bytes(of: UInt16(1)) + number(index) + number(flags)
        return message(
            .link,
            fixed + number(0) + attribute(3, Array(name.utf8) + [0]) + attribute(16, [state]) + more
        )
    }

    private static func address(_ index: UInt32, flags: UInt8 = 0, _ attributes: [UInt8]) -> [UInt8]
    {
        message(.address, [2, 24, flags, 0] + number(index) + attributes)
    }

    private static func route(
        prefix: UInt8,
        table: UInt8 = 254,
        type: UInt8 = 1,
        _ attributes: [UInt8]
    ) -> [UInt8] {
        message(.route, [2, prefix, 0, 0, table, 3, 0, type] + number(0) + attributes)
    }

    private static func tables(_ bytes: [UInt8]) -> NetworkTables {
        var tables = NetworkTables()
        _ = NetlinkHeader.forEachMessage(in: bytes.span) { header, body in
            tables.add(header.kind, body)
            return true
        }
        return tables
    }

    @Test func `interfaces have their names, kinds, addresses and states`() throws {
        let vlan =
            Self.attribute(5, Self.number(2))
            + Self.attribute(18, Self.attribute(1, Array("vlan".utf8) + [0]))
        let tables = Self.tables(
            Self.link(2, "eth0", more: Self.attribute(1, [2, 0, 0x5E, 0x10, 0, 1]))
                + Self.link(3, "eth0.7", more: vlan) + Self.link(4, "usb0", state: 2)
                + Self.link(5, "tun0", state: 0) + Self.link(6, "off0", flags: 0)
        )
        #expect(tables.interfaces.map(\.name) == ["eth0", "eth0.7", "usb0", "tun0", "off0"])
        #expect(tables.interfaces.map(\.isUp) == [true, true, false, true, false])
        #expect(tables.interfaces[0].macAddress == "02:00:5e:10:00:01")
        #expect(tables.interfaces[1].linkKind == "vlan")
        #expect(tables.interfaces[1].link == 2)
    }

    @Test func `the kernel counts how often a carrier has come or gone`() {
        let counted = Self.attribute(35, Self.number(7))
        let tables = Self.tables(Self.link(2, "eth0", more: counted) + Self.link(3, "tun0"))
        #expect(tables.interfaces.map(\.carrierChanges) == [7, 0])
    }

    @Test func `the other end of a veth and one in another namespace are no lower interfaces`() {
        let veth =
            Self.attribute(5, Self.number(9))
            + Self.attribute(18, Self.attribute(1, Array("veth".utf8) + [0]))
        let away = Self.attribute(5, Self.number(9)) + Self.attribute(37, Self.number(0))
        let tables = Self.tables(Self.link(2, "a", more: veth) + Self.link(3, "b", more: away))
        #expect(tables.interfaces.map(\.link) == [0, 0])
    }

    @Test func `an own address is the local one; tentative and link-local ones do not count`() {
        let tables = Self.tables(
            Self.link(2, "ppp0")
                + Self.address(
                    2,
                    Self.attribute(1, [10, 0, 0, 1]) + Self.attribute(2, [10, 0, 0, 2])
                )
                + Self.address(2, flags: 0x40, Self.attribute(2, [10, 0, 0, 3]))
                + Self.address(
                    2,
                    Self.attribute(2, [10, 0, 0, 4]) + Self.attribute(8, Self.number(0x40))
                )
                + Self.address(2, Self.attribute(2, [169, 254, 0, 4]))
                + Self.address(7, Self.attribute(2, [10, 0, 0, 5]))
                + Self.address(2, Self.attribute(2, [10, 0, 0]))
        )
        #expect(tables.interfaces[0].addresses.map(\.text) == ["10.0.0.2"])
    }

    @Test func `routes are those to other machines, of every table but the local one`() {
        let out = Self.attribute(4, Self.number(2))
        let tables = Self.tables(
            Self.route(prefix: 0, out + Self.attribute(6, Self.number(100)))
                + Self.route(prefix: 24, Self.attribute(1, [192, 0, 2, 0]) + out)
                + Self.route(
                    prefix: 32,
                    table: 255,
                    type: 2,
                    Self.attribute(1, [10, 0, 0, 1]) + out
                )
                + Self.route(prefix: 8, type: 7, Self.attribute(1, [10, 0, 0, 0]))
                + Self.route(prefix: 8, table: 252, Self.attribute(15, Self.number(1000)) + out)
                + Self.route(prefix: 99, Self.attribute(1, [10, 0, 0, 0]) + out)
        )
        #expect(tables.routes.map(\.prefix) == [0, 24, 8])
        #expect(tables.routes.map(\.destination.text) == ["0.0.0.0", "192.0.2.0", "0.0.0.0"])
        #expect(tables.routes.map(\.metric) == [100, 0, 0])
        #expect(tables.routes.map(\.isMain) == [true, true, false])
    }

    @Test func `a route has its gateway, of the other version too`() {
        let out = Self.attribute(4, Self.number(2))
        let tables = Self.tables(
            Self.route(prefix: 0, Self.attribute(5, [192, 168, 8, 1]) + out)
                + Self.route(
                    prefix: 0,
                    Self.attribute(
                        18,
                        [10, 0] + [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
                    )
                        + out
                )
                + Self.route(prefix: 0, out)
        )
        #expect(tables.routes.map(\.gateway?.text) == ["192.168.8.1", "fe80::1", nil])
    }

    @Test(
        arguments: [
            ("ipip", 3, [198, 51, 100, 7], "198.51.100.7"),
            ("gre", 7, [198, 51, 100, 7], "198.51.100.7"),
            ("vti", 5, [198, 51, 100, 7], "198.51.100.7"),
            ("vxlan", 2, [198, 51, 100, 7], "198.51.100.7"),
            ("vxlan", 2, [239, 1, 1, 1], nil), ("ipip", 3, [0, 0, 0, 0], nil),
            ("bridge", 3, [198, 51, 100, 7], nil), ("gre", 6, [198, 51, 100, 7], nil),
        ] as [(String, UInt16, [UInt8], String?)]
    )
    func `a tunnel has its other end`(kind: String, type: UInt16, address: [UInt8], peer: String?) {
        let info =
            Self.attribute(1, Array(kind.utf8) + [0])
            + Self.attribute(2, Self.attribute(type, address))
        let tables = Self.tables(Self.link(2, "t0", more: Self.attribute(18, info)))
        #expect(tables.interfaces[0].peers.map(\.text) == (peer.map { [$0] } ?? []))
    }

    @Test func `a multipath route is one route for each interface`() {
        let hop = { (index: UInt32) in
            NetlinkRequest.bytes(of: UInt16(16)) + [0, 0] + Self.number(index)
                + Self.attribute(5, [10, 0, 0, UInt8(index)])
        }
        let tables = Self.tables(Self.route(prefix: 0, Self.attribute(9, hop(2) + hop(3))))
        #expect(tables.routes.map(\.interface) == [2, 3])
        #expect(tables.routes.map(\.gateway?.text) == ["10.0.0.2", "10.0.0.3"])
    }

    @Test func `damaged messages are not read beyond their end`() {
        let hop = NetlinkRequest.bytes(of: UInt16(8)) + [0, 0] + Self.number(2)
        let whole =
            Self.link(
                2,
                "eth0",
                more: Self.attribute(18, Self.attribute(1, Array("vlan".utf8) + [0]))
            )
            + Self.address(2, Self.attribute(2, [10, 0, 0, 2]))
            + Self.route(prefix: 0, Self.attribute(9, hop))
        for count in 0...whole.count { _ = Self.tables(Array(whole.prefix(count))) }
        for position in whole.indices {
            for value: UInt8 in [0, 1, 3, 4, 0x7F, 0xFF] {
                var changed = whole
                changed[position] = value
                _ = Self.tables(changed)
            }
        }
        #expect(Self.tables(whole).interfaces.count == 1)
    }
}
