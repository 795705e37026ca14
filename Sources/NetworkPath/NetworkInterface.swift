package import SystemKit
internal import TransferModel

/// A network interface and its state in the kernel.
package struct NetworkInterface: Sendable, Hashable {
    /// The kernel's number.
    package let index: Int32
    /// The kernel's name, such as `eth0`.
    package var name: String
    /// The kind of a virtual interface, such as `bridge`, `vlan` or `wireguard`; nil for a device.
    package var linkKind: String?
    /// ARPHRD_… of `<linux/if_arp.h>`.
    package var hardwareType: UInt16
    /// In lower case, with colons; nil without one.
    package var macAddress: String?
    /// Whether it is enabled and has a carrier or does not report one.
    package var isUp: Bool
    /// The number of carrier changes; 0 where the kernel does not count them (before Linux 3.15).
    package var carrierChanges: UInt32
    /// The bridge or bond with this interface as a port; 0 for none.
    package var master: Int32
    /// The interface below a virtual one, such as a VLAN's; 0 if there is none in this namespace.
    package var link: Int32
    /// The other ends of a tunnel, as far as the kernel reports them.
    package var peers: [IPAddress]
    /// The usable source addresses: no tentative and no link-local ones.
    package var addresses: [IPAddress]
    /// Its class for policies.
    package var classification: InterfaceClass

    /// Creates an interface; without `classification` its class is unknown.
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
    /// ARPHRD_RAWIP, the type of modems.
    static let rawIP: UInt16 = 519
    /// ARPHRD_LOOPBACK.
    static let loopback: UInt16 = 772
    /// ARPHRD_NONE and the types of tunnels.
    static let tunnels: Set<UInt16> = [65534, 768, 769, 776, 778]

    /// Whether packets over the interface stay on this machine.
    package var isLoopback: Bool { classification.kind == .loopback }
}

/// A route to a network.
package struct Route: Sendable, Hashable {
    /// The network's address and the length of its prefix; a default route has 0.
    package var destination: IPAddress
    /// The length of the destination's prefix in bits; 0 for a default route.
    package var prefix: Int
    /// The outgoing interface.
    package var interface: Int32
    /// Of two routes to one network the kernel takes the one with the smaller metric.
    package var metric: UInt32
    /// The router; nil when the network is on the interface's link.
    package var gateway: IPAddress?
    /// Whether it is in the main table; routes of other tables apply to some packets only.
    package var isMain: Bool

    /// Creates a route; without `gateway` the destination is on the interface's link.
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
