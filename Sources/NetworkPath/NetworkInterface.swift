package import SystemKit
internal import TransferModel

/// One network interface as the kernel has it.
package struct NetworkInterface: Sendable, Hashable {
    /// The kernel's number.
    package let index: Int32
    package var name: String
    /// The kind of a virtual interface, such as `bridge`, `vlan` or `wireguard`; nil for a device.
    package var linkKind: String?
    /// ARPHRD_… of `<linux/if_arp.h>`.
    package var hardwareType: UInt16
    /// In lower case, with colons; nil when it has none.
    package var macAddress: String?
    /// Whether it is switched on and has a carrier, or does not say.
    package var isUp: Bool
    /// How often its carrier has come or gone; 0 where the kernel does not count (before Linux
    /// 3.15).
    package var carrierChanges: UInt32
    /// The bridge or bond that it is a port of; 0 for none.
    package var master: Int32
    /// The interface that a virtual one is made of, such as a VLAN's; 0 for none that is to be seen
    /// from here.
    package var link: Int32
    /// The other ends of a tunnel, as far as the kernel tells them.
    package var peers: [IPAddress]
    /// Those that a connection can come from: no tentative ones and none of one link only.
    package var addresses: [IPAddress]
    /// What it is to a policy.
    package var classification: InterfaceClass

    package init(
        index: Int32,
        name: String,
        linkKind: String? = nil,
        hardwareType: UInt16 = Self.ethernet,
        macAddress: String? = nil,
        isUp: Bool = true,
        carrierChanges: UInt32 = 0,
        master: Int32 = 0,
        link: Int32 = 0,
        peers: [IPAddress] = [],
        addresses: [IPAddress] = [],
        classification: InterfaceClass? = nil
    ) {
        self.index = index
        self.name = name
        self.linkKind = linkKind
        self.hardwareType = hardwareType
        self.macAddress = macAddress
        self.isUp = isUp
        self.carrierChanges = carrierChanges
        self.master = master
        self.link = link
        self.peers = peers
        self.addresses = addresses
        self.classification = classification ?? .unknown
    }

    /// ARPHRD_ETHER.
    package static let ethernet: UInt16 = 1
    /// ARPHRD_PPP.
    static let pointToPoint: UInt16 = 512
    /// ARPHRD_RAWIP, which modems have.
    static let rawIP: UInt16 = 519
    /// ARPHRD_LOOPBACK.
    static let loopback: UInt16 = 772
    /// ARPHRD_NONE and those of the tunnels.
    static let tunnels: Set<UInt16> = [65534, 768, 769, 776, 778]

    package var isLoopback: Bool { classification.kind == .loopback }
}

/// A way to a network.
package struct Route: Sendable, Hashable {
    /// The network's address and the length of its prefix; a default route has 0.
    package var destination: IPAddress
    package var prefix: Int
    /// The interface that it leaves by.
    package var interface: Int32
    /// Of two routes to one network the smaller one is taken.
    package var metric: UInt32
    /// Whom it leads over; nil when the network is at its interface.
    package var gateway: IPAddress?
    /// Whether it is in the table that is asked without a rule; one of another table holds for some
    /// packets only.
    package var isMain: Bool

    package init(
        destination: IPAddress,
        prefix: Int,
        interface: Int32,
        metric: UInt32 = 0,
        gateway: IPAddress? = nil,
        isMain: Bool = true
    ) {
        self.destination = destination
        self.prefix = prefix
        self.interface = interface
        self.metric = metric
        self.gateway = gateway
        self.isMain = isMain
    }

    /// Whether it leads beyond its own link.
    var isUsable: Bool { !destination.isLinkLocal && !destination.isMulticast }
}
