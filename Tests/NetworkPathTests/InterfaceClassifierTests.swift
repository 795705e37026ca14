import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import NetworkPath

/// Interfaces as they would be, and folders as sysfs would have them.
@Suite struct InterfaceClassifierTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func classes(
        _ interfaces: [NetworkInterface],
        rules: [InterfaceRule] = [],
        daemons: [[String: InterfaceEvidence]] = [],
        attachments: [String: LinkAttachment] = [:],
        pending: Set<String> = [],
        routes: [Route] = []
    ) -> [InterfaceClass] {
        var interfaces = interfaces
        InterfaceClassifier(
            rules: rules.map { ("the job file", $0) },
            devices: DeviceFolder(path: folder.path),
            daemons: daemons,
            attachments: attachments,
            pending: pending,
            routes: routes
        ).classify(&interfaces)
        return interfaces.map(\.classification)
    }

    /// Makes a folder of sysfs.
    private func device(
        _ name: String,
        index: Int32,
        uevent: String = "",
        driver: String? = nil,
        isWireless: Bool = false
    ) throws {
        try folder.makeFolder(name)
        try folder.write("\(index)\n", to: "\(name)/ifindex")
        try folder.write(uevent, to: "\(name)/uevent")
        if isWireless { try folder.makeFolder("\(name)/wireless") }
        if let driver {
            try folder.makeFolder("\(name)/device")
            try folder.link("\(name)/device/driver", to: "../../../bus/usb/drivers/\(driver)")
        }
    }

    @Test func `the loopback is known by its hardware type`() {
        let lo = NetworkInterface(index: 1, name: "lo", hardwareType: NetworkInterface.loopback)
        #expect(classes([lo])[0].kind == .loopback)
    }

    @Test func `a rule for everything does not change the loopback`() {
        let lo = NetworkInterface(index: 1, name: "lo", hardwareType: NetworkInterface.loopback)
        let rule = InterfaceRule(match: .init(name: "*"), kind: .cellular)
        let daemons = ["lo": InterfaceEvidence("NetworkManager", kind: .wifi, isExpensive: true)]
        let found = classes([lo], rules: [rule], daemons: [daemons])[0]
        #expect(found.kind == .loopback)
        #expect(found.denial(under: []) == nil)
    }

    @Test func `an Ethernet device without more is wired, neither cellular nor expensive`() throws {
        try device("eth0", index: 2)
        let found = classes([NetworkInterface(index: 2, name: "eth0")])[0]
        #expect(found.kind == .wired)
        #expect(found.isCellular == false)
        #expect(found.isExpensive == false)
        #expect(found.evidence == ["an Ethernet device"])
    }

    @Test(arguments: [
        ("DEVTYPE=wwan\n", InterfaceKind.cellular, true),
        ("INTERFACE=x\nDEVTYPE=wlan\nIFINDEX=2\n", .wifi, false),
        ("DEVTYPE=bluetooth", .bluetooth, true),
    ])
    func `the device type determines the kind`(uevent: String, kind: InterfaceKind, expensive: Bool)
        throws
    {
        try device("x0", index: 2, uevent: uevent)
        let found = classes([NetworkInterface(index: 2, name: "x0")])[0]
        #expect(found.kind == kind)
        #expect(found.isCellular == (kind == .cellular))
        #expect(found.isExpensive == expensive)
    }

    @Test(arguments: [
        ("cdc_mbim", InterfaceKind.cellular), ("qmi_wwan", .cellular), ("rmnet_ipa", .cellular),
        ("rndis_host", .wired), ("ipheth", .wired),
    ])
    func `a driver determines the kind and the cost`(driver: String, kind: InterfaceKind) throws {
        try device("usb0", index: 2, driver: driver)
        let found = classes([NetworkInterface(index: 2, name: "usb0")])[0]
        #expect(found.kind == kind)
        #expect(found.isExpensive == true)
        #expect(found.evidence.first == "driver \(driver)")
    }

    @Test func `a wireless folder makes a device wifi`() throws {
        try device("w0", index: 2, isWireless: true)
        #expect(classes([NetworkInterface(index: 2, name: "w0")])[0].kind == .wifi)
    }

    @Test func `a folder of another namespace's interface is no evidence`() throws {
        try device("eth0", index: 7, uevent: "DEVTYPE=wwan\n")
        #expect(classes([NetworkInterface(index: 2, name: "eth0")])[0].kind == .wired)
    }

    @Test func `a name that leads out of the folder is not looked up`() throws {
        try folder.write("2\n", to: "ifindex")
        try folder.write("DEVTYPE=wwan\n", to: "uevent")
        #expect(classes([NetworkInterface(index: 2, name: ".")])[0].kind == .wired)
    }

    @Test(arguments: ["wireguard", "tun", "veth", "vlan", "ppp", "openvswitch", "l2tpeth"])
    func `an interface with an unseen path has an unknown class`(kind: String) {
        let types: [String: UInt16] = ["wireguard": 65534, "tun": 65534, "ppp": 512]
        let type = types[kind] ?? NetworkInterface.ethernet
        let found = classes([
            NetworkInterface(index: 2, name: "x", linkKind: kind, hardwareType: type)
        ])[0]
        #expect(found.isCellular == nil)
        #expect(found.isExpensive == nil)
        #expect(!found.isConstrained)
    }

    @Test func `a PPP connection without a kind has an unknown class`() {
        let ppp = NetworkInterface(index: 2, name: "ppp0", hardwareType: 512)
        #expect(classes([ppp])[0].isCellular == nil)
        #expect(classes([ppp])[0].isExpensive == nil)
    }

    // MARK: Tunnels

    private static func address(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text))
    }

    private static func tunnel(_ kind: String, peers: [String] = [], link: Int32 = 0) throws
        -> NetworkInterface
    {
        NetworkInterface(
            index: 9,
            name: "vpn0",
            linkKind: kind,
            hardwareType: 65534,
            link: link,
            peers: try peers.map(address)
        )
    }

    /// A modem of the default route, and a wired way to 192.0.2.0/24.
    private func classOfTunnel(
        _ tunnel: NetworkInterface,
        more: [Route] = [],
        rules: [InterfaceRule] = []
    ) throws -> InterfaceClass {
        try device("wwan0", index: 3, uevent: "DEVTYPE=wwan\n")
        let any = IPAddress.unspecified(bitCount: 32)
        return classes(
            [
                tunnel, NetworkInterface(index: 3, name: "wwan0"),
                NetworkInterface(index: 4, name: "eth0"),
            ],
            rules: rules,
            routes: [
                Route(destination: any, prefix: 0, interface: 3, metric: 700),
                Route(destination: try Self.address("192.0.2.0"), prefix: 24, interface: 4),
                // The route of packets inside the tunnel.
                Route(destination: any, prefix: 0, interface: 9, metric: 1),
                Route(
                    destination: any,
                    prefix: 0,
                    interface: 4,
                    metric: 1,
                    gateway: nil,
                    isMain: false
                ),
            ] + more
        )[0]
    }

    @Test(
        arguments: [
            (["198.51.100.1"], true, "goes over wwan0"), (["192.0.2.7"], false, "goes over eth0"),
            ([], true, "goes over wwan0"),
            (["192.0.2.7", "198.51.100.1"], true, "goes over wwan0"),
        ] as [([String], Bool, String)]
    )
    func `a tunnel has the worst class of its ends' paths or the default route`(
        peers: [String],
        isCellular: Bool,
        evidence: String
    ) throws {
        let found = try classOfTunnel(try Self.tunnel("wireguard", peers: peers))
        #expect(found.isCellular == isCellular)
        #expect(found.isExpensive == isCellular)
        #expect(found.kind == .tunnel)
        #expect(found.evidence.contains(evidence))
    }

    @Test func `a tunnel without a path has an unknown class`() throws {
        let found = try classOfTunnel(try Self.tunnel("ip6tnl", peers: ["2001:db8::1"]))
        #expect(found.isCellular == nil)
        #expect(found.isExpensive == nil)
    }

    @Test func `a tunnel that is bound to an interface has its class`() throws {
        let found = try classOfTunnel(try Self.tunnel("gre", peers: ["198.51.100.1"], link: 4))
        #expect(found.isCellular == false)
        #expect(found.evidence.contains("made of eth0"))
    }

    @Test func `a rule with a tunnel's kind and cost overrides its path`() throws {
        let rule = InterfaceRule(match: .init(name: "vpn0"), kind: .wired, isExpensive: false)
        let found = try classOfTunnel(try Self.tunnel("tun"), rules: [rule])
        #expect(found.isCellular == false)
        #expect(found.isExpensive == false)
    }

    @Test func `tunnels that lead through each other end`() throws {
        let any = IPAddress.unspecified(bitCount: 32)
        let found = classes(
            [
                NetworkInterface(index: 2, name: "a", linkKind: "tun", hardwareType: 65534),
                NetworkInterface(index: 3, name: "b", linkKind: "tun", hardwareType: 65534),
            ],
            routes: [2, 3].map { Route(destination: any, prefix: 0, interface: $0) }
        )
        #expect(found.map(\.kind) == [.tunnel, .tunnel])
    }

    // MARK: Attachments

    @Test(
        arguments: [
            (.init(ssid: "Train*"), true), (.init(ssid: "Home"), false),
            (.init(connection: "uplink-?"), true), (.init(connection: "7a1d*"), true),
            (.init(connection: "other"), false), (.init(gateway: IPAddress("192.168.8.1")), true),
            (.init(gateway: IPAddress("192.168.8.2")), false),
            (.init(name: "w*", ssid: "Train*", gateway: IPAddress("192.168.8.1")), true),
            (.init(name: "e*", ssid: "Train*"), false),
        ] as [(InterfaceRule.Match, Bool)]
    )
    func `a rule matches an interface's attachment`(match: InterfaceRule.Match, fits: Bool)
        throws
    {
        let rule = InterfaceRule(match: match, isConstrained: true)
        let gateway = try Self.address("192.168.8.1")
        let found = classes(
            [NetworkInterface(index: 2, name: "wlan0")],
            rules: [rule],
            attachments: [
                "wlan0": LinkAttachment(ssid: "Train 7", connections: ["uplink-2", "7a1d-33"])
            ],
            routes: [
                Route(
                    destination: .unspecified(bitCount: 32),
                    prefix: 0,
                    interface: 2,
                    gateway: gateway
                ),
                // No default route.
                Route(
                    destination: try Self.address("10.0.0.0"),
                    prefix: 8,
                    interface: 2,
                    gateway: try Self.address("192.168.8.2")
                ),
            ]
        )[0]
        #expect(found.isConstrained == fits)
    }

    @Test func `an unattached interface matches no rule on attachments`() {
        for match in [
            InterfaceRule.Match(ssid: "*"), .init(connection: "*"),
            .init(gateway: IPAddress("192.168.8.1")),
        ] {
            let rule = InterfaceRule(match: match, isConstrained: true)
            let found = classes([NetworkInterface(index: 2, name: "eth0")], rules: [rule])[0]
            #expect(!found.isConstrained)
        }
    }

    @Test func `a bridge has the worst class of its ports`() throws {
        try device("wwan0", index: 3, uevent: "DEVTYPE=wwan\n")
        let found = classes([
            NetworkInterface(index: 2, name: "br0", linkKind: "bridge"),
            NetworkInterface(index: 3, name: "wwan0", master: 2),
            NetworkInterface(index: 4, name: "eth0", master: 2),
        ])
        #expect(found[0].isCellular == true)
        #expect(found[0].isExpensive == true)
        #expect(found[0].kind == .wired)
        #expect(found[0].evidence.contains("made of wwan0"))
        #expect(found[2].isCellular == false)
    }

    @Test func `a VLAN on a bond of modems is cellular`() throws {
        try device("wwan0", index: 4, uevent: "DEVTYPE=wwan\n")
        let found = classes([
            NetworkInterface(index: 2, name: "bond0.7", linkKind: "vlan", link: 3),
            NetworkInterface(index: 3, name: "bond0", linkKind: "bond"),
            NetworkInterface(index: 4, name: "wwan0", master: 3),
        ])
        #expect(found[0].isCellular == true)
        #expect(found[1].isExpensive == true)
    }

    @Test func `a tunnel over a pending interface is pending, too`() throws {
        let interfaces = [
            NetworkInterface(index: 2, name: "eth0"),
            NetworkInterface(index: 3, name: "br0", linkKind: "bridge"),
            NetworkInterface(index: 4, name: "eth1", master: 3),
            NetworkInterface(index: 5, name: "vpn0", linkKind: "tun", hardwareType: 65534),
        ]
        let any = IPAddress.unspecified(bitCount: 32)
        let routes = [Route(destination: any, prefix: 0, interface: 3)]
        let found = classes(interfaces, pending: ["eth1"], routes: routes)
        #expect(found.map(\.isPending) == [false, true, true, true])
        #expect(found.map(\.isExpensive) == [false, nil, nil, nil])
    }

    @Test func `circular links between interfaces end`() {
        let found = classes([
            NetworkInterface(index: 2, name: "a", linkKind: "vlan", link: 3),
            NetworkInterface(index: 3, name: "b", linkKind: "vlan", link: 2),
        ])
        #expect(found.allSatisfy { $0.isCellular == false })
    }

    @Test func `rules override daemons, and daemons override devices`() throws {
        try device("x0", index: 2, uevent: "DEVTYPE=wwan\n")
        let interface = NetworkInterface(index: 2, name: "x0")
        let daemon = ["x0": InterfaceEvidence("NetworkManager", kind: .wifi, isExpensive: false)]
        let told = classes([interface], daemons: [daemon])[0]
        #expect(told.kind == .wifi)
        #expect(told.isExpensive == false)
        let rule = InterfaceRule(match: .init(name: "x*"), kind: .bluetooth, isConstrained: true)
        let ruled = classes([interface], rules: [rule], daemons: [daemon])[0]
        #expect(ruled.kind == .bluetooth)
        #expect(ruled.isCellular == false)
        #expect(ruled.isConstrained)
        // A property that the rule does not set.
        #expect(ruled.isExpensive == false)
        #expect(ruled.evidence.prefix(2) == ["the job file", "NetworkManager"])
    }

    @Test func `of several matching rules the first with a value decides`() {
        let rules = [
            InterfaceRule(match: .init(name: "eth0"), isExpensive: true),
            InterfaceRule(match: .init(name: "eth*"), kind: .cellular, isExpensive: false),
        ]
        let found = classes([NetworkInterface(index: 2, name: "eth0")], rules: rules)[0]
        #expect(found.kind == .cellular)
        #expect(found.isExpensive == true)
    }

    @Test func `a cellular interface is expensive unless a rule says otherwise`() {
        let interface = NetworkInterface(index: 2, name: "eth0")
        let plain = InterfaceRule(match: .init(name: "eth0"), kind: .cellular)
        #expect(classes([interface], rules: [plain])[0].isExpensive == true)
        var flat = plain
        flat.isExpensive = false
        #expect(classes([interface], rules: [flat])[0].isExpensive == false)
    }

    @Test func `a rule matches hardware address and driver together`() throws {
        try device("usb0", index: 2, driver: "cdc_ether")
        let interface = NetworkInterface(index: 2, name: "usb0", macAddress: "02:00:00:00:00:01")
        func isConstrained(_ match: InterfaceRule.Match) -> Bool {
            classes([interface], rules: [InterfaceRule(match: match, isConstrained: true)])[0]
                .isConstrained
        }
        #expect(isConstrained(.init(macAddress: "02:00:00:00:00:01", driver: "cdc_ether")))
        #expect(!isConstrained(.init(macAddress: "02:00:00:00:00:01", driver: "r8152")))
        #expect(!isConstrained(.init(macAddress: "02:00:00:00:00:02")))
        #expect(!isConstrained(.init()))
    }

    @Test(arguments: [
        ("wwan0", "wwan*", true), ("wwan0", "*", true), ("wwan0", "w?an0", true),
        ("wwan0", "*0", true), ("wwan0", "wwan", false), ("wwan0", "wwan0?", false),
        ("aXbXc", "a*b*c", true), ("aXbX", "a*b*c", false), ("eth0", "", false),
    ])
    func `a name fits a pattern`(name: String, pattern: String, fits: Bool) {
        #expect(InterfaceRule.Match.matches(name, pattern) == fits)
    }
}
