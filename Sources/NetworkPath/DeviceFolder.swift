internal import SystemKit
internal import TransferModel

/// The sysfs folder with the devices of interfaces (`/sys/class/net`).
struct DeviceFolder: Sendable, Hashable {
    /// The folder with a subfolder for each interface.
    let path: String

    /// The properties of a device.
    struct Device {
        /// The kernel's name of its driver.
        var driver: String?
        /// `DEVTYPE` of its `uevent`.
        var type: String?
        /// Whether it is an 802.11 device.
        var isWireless = false
    }

    /// The device in sysfs; empty if sysfs has no such interface or shows another namespace's.
    func device(of interface: NetworkInterface) -> Device {
        let folder = "\(path)/\(interface.name)"
        guard Self.isPlain(interface.name),
            Self.text("\(folder)/ifindex") == "\(interface.index)"
        else { return Device() }
        var device = Device()
        device.driver = SymbolicLink.target(of: "\(folder)/device/driver").flatMap { target in
            target.splitAtBytes("/").last.map(String.init)
        }
        let lines = Self.text("\(folder)/uevent")?.splitAtBytes("\n") ?? []
        device.type = lines.lazy.compactMap { $0.withoutBytePrefix("DEVTYPE=") }.first
            .map(String.init)
        device.isWireless = ["wireless", "phy80211"].contains {
            PathOccupant(at: "\(folder)/\($0)") != .nothing
        }
        return device
    }

    /// A name such as `..` or with `/` would lead elsewhere; the kernel allows none.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? InputFile(path: path).readPrefix(limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.last == "\n" ? String(text.dropLast()) : text
    }
}

extension DeviceFolder.Device {
    /// The evidence from the device and the type of the interface, the strongest first.
    func evidence(of interface: NetworkInterface) -> [InterfaceEvidence] {
        [ofType, ofDriver, ofHardware(interface)].compactMap(\.self)
    }

    private var ofType: InterfaceEvidence? {
        switch type {
        case "wwan": InterfaceEvidence("DEVTYPE=wwan", kind: .cellular, isExpensive: true)
        case "wlan": InterfaceEvidence("DEVTYPE=wlan", kind: .wifi)
        // A Bluetooth connection often shares a phone's connection.
        case "bluetooth":
            InterfaceEvidence("DEVTYPE=bluetooth", kind: .bluetooth, isExpensive: true)
        default: isWireless ? InterfaceEvidence("an 802.11 device", kind: .wifi) : nil
        }
    }

    private var ofDriver: InterfaceEvidence? {
        guard let driver else { return nil }
        let source = "driver \(driver)"
        switch driver {
        case "qmi_wwan", "cdc_mbim", "mhi_net", "iosm", "t7xx", "sierra_net", "hso",
            _ where driver.hasBytePrefix("rmnet"):
            return InterfaceEvidence(source, kind: .cellular, isExpensive: true)
        // A phone that shares its connection over USB; plain adapters also use cdc_ether and
        // cdc_ncm.
        case "rndis_host", "ipheth":
            return InterfaceEvidence(source, kind: .wired, isExpensive: true)
        default:
            return nil
        }
    }

    private func ofHardware(_ interface: NetworkInterface) -> InterfaceEvidence? {
        let kind = interface.linkKind
        switch interface.hardwareType {
        case NetworkInterface.loopback: return InterfaceEvidence("the loopback", kind: .loopback)
        case NetworkInterface.rawIP where kind == nil:
            return InterfaceEvidence("a raw-IP device", kind: .cellular, isExpensive: true)
        case _ where NetworkInterface.tunnels.contains(interface.hardwareType):
            return InterfaceEvidence(kind.map { "a \($0) tunnel" } ?? "a tunnel", kind: .tunnel)
        case NetworkInterface.pointToPoint:
            return InterfaceEvidence("a PPP connection", kind: .other)
        case NetworkInterface.ethernet:
            guard let kind else { return InterfaceEvidence("an Ethernet device", kind: .wired) }
            return InterfaceEvidence(
                "kind \(kind)",
                kind: ["bridge", "bond", "vlan", "team", "veth"].contains(kind) ? .wired : .other
            )
        default: return kind.map { InterfaceEvidence("kind \($0)", kind: .other) }
        }
    }
}
