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
        daemons: [[String: InterfaceEvidence]] = []
    ) -> [InterfaceClass] {
        var interfaces = interfaces
        InterfaceClassifier(
            rules: rules.map { ("the job file", $0) },
            devices: DeviceFolder(path: folder.path),
            daemons: daemons
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
    func `the device type says what it is`(uevent: String, kind: InterfaceKind, expensive: Bool)
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
    func `a driver says what it is, and that it costs`(driver: String, kind: InterfaceKind) throws {
        try device("usb0", index: 2, driver: driver)
        let found = classes([NetworkInterface(index: 2, name: "usb0")])[0]
        #expect(found.kind == kind)
        #expect(found.isExpensive == true)
        #expect(found.evidence.first == "driver \(driver)")
    }

    @Test func `a wireless folder makes it wifi`() throws {
        try device("w0", index: 2, isWireless: true)
        #expect(classes([NetworkInterface(index: 2, name: "w0")])[0].kind == .wifi)
    }

    @Test func `a folder of another namespace's interface says nothing`() throws {
        try device("eth0", index: 7, uevent: "DEVTYPE=wwan\n")
        #expect(classes([NetworkInterface(index: 2, name: "eth0")])[0].kind == .wired)
    }

    @Test func `a name that leads out of the folder is not looked up`() throws {
        try folder.write("2\n", to: "ifindex")
        try folder.write("DEVTYPE=wwan\n", to: "uevent")
        #expect(classes([NetworkInterface(index: 2, name: ".")])[0].kind == .wired)
    }

    @Test(arguments: ["wireguard", "tun", "veth"])
    func `nobody knows what an interface is whose packets leave unseen`(kind: String) {
        let type: UInt16 = kind == "veth" ? 1 : 65534
        let found = classes([
            NetworkInterface(index: 2, name: "x", linkKind: kind, hardwareType: type)
        ])[0]
        #expect(found.isCellular == nil)
        #expect(found.isExpensive == nil)
        #expect(!found.isConstrained)
    }

    @Test func `a bridge is the worst of its ports`() throws {
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

    @Test func `interfaces that stand on each other in a circle end`() {
        let found = classes([
            NetworkInterface(index: 2, name: "a", linkKind: "vlan", link: 3),
            NetworkInterface(index: 3, name: "b", linkKind: "vlan", link: 2),
        ])
        #expect(found.allSatisfy { $0.isCellular == false })
    }

    @Test func `a rule wins over daemons, and they over devices`() throws {
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
        // What the rule does not say.
        #expect(ruled.isExpensive == false)
        #expect(ruled.evidence.prefix(2) == ["the job file", "NetworkManager"])
    }

    @Test func `of several rules that fit, the first that says something decides`() {
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

    @Test func `a rule fits by hardware address and driver together`() throws {
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
