internal import SystemKit
internal import TransferModel

/// Says what each interface is, from rules, daemons and devices: of each property, what the
/// strongest source says.
struct InterfaceClassifier {
    /// Rules of the job, then those of the host.
    let rules: [(source: String, rule: InterfaceRule)]
    let devices: DeviceFolder
    /// What daemons say, by names; the stronger one first.
    let daemons: [[String: InterfaceEvidence]]
    /// What interfaces are attached to, by names.
    let attachments: [String: LinkAttachment]
    /// The names of those that daemons have still to say something of.
    var pending: Set<String> = []
    /// Those of the machine.
    let routes: [Route]

    /// Classifies all interfaces; one that is made of others is the worst of them.
    func classify(_ interfaces: inout [NetworkInterface]) {
        let lowers = lowers(of: interfaces)
        let gateways = Dictionary(grouping: routes.lazy.filter { $0.prefix == 0 }, by: \.interface)
        let own = zip(interfaces, lowers).map { interface, lowers in
            ownClass(
                interface,
                isCarried: lowers.contains { $0.isCarrier },
                gateways: gateways[interface.index]?.compactMap(\.gateway) ?? []
            )
        }
        var all = own.map(\.value)
        // Each round carries classes up by one floor; there is none above the last interface.
        for _ in interfaces.indices {
            let before = all
            for position in interfaces.indices where !own[position].isRuled {
                all[position] = own[position].value
                for lower in lowers[position] {
                    let way = lower.isCarrier ? "goes over" : "made of"
                    let name = interfaces[lower.position].name
                    all[position].worsen(by: before[lower.position], "\(way) \(name)")
                }
            }
            if all == before { break }
        }
        for position in interfaces.indices { interfaces[position].classification = all[position] }
    }

    /// An interface that another one's packets leave by.
    private struct Lower {
        var position: Int
        /// Whether it leads to a tunnel's other end; the other one is made of it otherwise.
        var isCarrier: Bool
    }

    /// Of each interface those that its packets leave by, in their order.
    private func lowers(of interfaces: [NetworkInterface]) -> [[Lower]] {
        let positions = Dictionary(zip(interfaces.lazy.map(\.index), interfaces.indices)) { $1 }
        var lowers: [[Lower]] = interfaces.map { interface in
            carriers(of: interface).compactMap { positions[$0] }
                .map { Lower(position: $0, isCarrier: true) }
        }
        for (position, interface) in interfaces.enumerated() {
            if let bridge = positions[interface.master], bridge != position {
                lowers[bridge].append(Lower(position: position, isCarrier: false))
            }
            if let device = positions[interface.link], device != position {
                lowers[position].append(Lower(position: device, isCarrier: false))
            }
        }
        return lowers.map { $0.sorted { $0.position < $1.position } }
    }

    /// What is known of an interface itself, and whether a rule says all that a lower one could.
    private func ownClass(
        _ interface: NetworkInterface,
        isCarried: Bool,
        gateways: [IPAddress]
    ) -> (value: InterfaceClass, isRuled: Bool) {
        let device = devices.device(of: interface)
        var attachment = attachments[interface.name] ?? LinkAttachment()
        attachment.driver = device.driver
        attachment.gateways = gateways
        var ruled: [InterfaceEvidence] = []
        // This machine is what it is, also under a rule for everything.
        let isOwn = interface.hardwareType == NetworkInterface.loopback
        for (source, rule) in rules where !isOwn && rule.match.fits(interface, attachment) {
            ruled.append(
                InterfaceEvidence(
                    source,
                    kind: rule.kind,
                    isExpensive: rule.isExpensive ?? (rule.kind == .cellular ? true : nil),
                    isConstrained: rule.isConstrained
                )
            )
        }
        let evidence =
            ruled + (isOwn ? [] : daemons).compactMap { $0[interface.name] }
            + device.evidence(of: interface)
        let ruledKind = ruled.lazy.compactMap(\.kind).first
        let ruledCost = ruled.lazy.compactMap(\.isExpensive).first
        let kind = evidence.lazy.compactMap(\.kind).first ?? .other
        let isRuled = ruledKind != nil && ruledCost != nil
        let isPending =
            !isOwn && pending.contains(interface.name) && !(isRuled && !mayRulesChange)
        let isHidden =
            isPending || interface.isMadeOfUnseen && !isCarried && ruledKind == nil
        let cost = evidence.lazy.compactMap(\.isExpensive).first
        var value = InterfaceClass(
            kind: kind,
            isCellular: kind == .cellular ? true : isHidden ? nil : false,
            isExpensive: cost ?? (isHidden ? nil : false),
            isConstrained: evidence.lazy.compactMap(\.isConstrained).first ?? false,
            evidence: evidence.filter { !$0.isEmpty }.map(\.source)
        )
        value.isPending = isPending
        return (value, isRuled)
    }

    /// Whether a rule may come to fit when daemons have answered: one for a network or a
    /// connection.
    private var mayRulesChange: Bool {
        rules.contains { $0.rule.match.ssid != nil || $0.rule.match.connection != nil }
    }

    /// The interfaces that a tunnel's packets leave by: those that lead to its other ends, or by
    /// default where nobody tells these.
    ///
    /// By the main table, which is that of the packets of most tunnels: what tunnels themselves
    /// bring in by rules is for what goes through them.
    private func carriers(of tunnel: NetworkInterface) -> Set<Int32> {
        guard tunnel.isTunnel, tunnel.link == 0 else { return [] }
        let ways = routes.filter { $0.isMain && $0.isUsable && $0.interface != tunnel.index }
        func best(where fits: (Route) -> Bool) -> Int32? {
            ways.filter(fits).min { ($1.prefix, $0.metric) < ($0.prefix, $1.metric) }?.interface
        }
        let peers = tunnel.peers.map { peer in
            best { peer.isInNetwork(of: $0.destination, prefix: $0.prefix) }
        }
        let defaults = [32, 128].map { bitCount in
            best { $0.prefix == 0 && $0.destination.bitCount == bitCount }
        }
        return Set((peers.isEmpty ? defaults : peers).compactMap(\.self))
    }
}

extension NetworkInterface {
    /// Whether its packets leave by an interface that is not to be seen: a tunnel's by whatever
    /// leads to its other end, a veth's in another namespace, those of a PPP connection by a modem
    /// or by another network.
    fileprivate var isMadeOfUnseen: Bool {
        guard link == 0 else { return false }
        return isTunnel || hardwareType == Self.pointToPoint
            || linkKind.map { !Self.wholeKinds.contains($0) } ?? false
    }

    /// Whether its packets leave inside others, which go to its other end.
    fileprivate var isTunnel: Bool {
        linkKind.map(Self.tunnelKinds.contains) ?? Self.tunnels.contains(hardwareType)
    }

    /// Virtual interfaces, by their names in the kernel, that are no more than their ports, or than
    /// this machine.
    private static let wholeKinds: Set<String> = [
        "bridge", "bond", "team", "vrf", "dummy", "ifb", "nlmon",
    ]

    private static let tunnelKinds: Set<String> = [
        "tun", "wireguard", "ipip", "sit", "gre", "gretap", "erspan", "ip6gre", "ip6gretap",
        "ip6erspan", "ip6tnl", "vti", "vti6", "xfrm", "vxlan", "geneve", "ovpn", "ovpn-dco",
        "amt", "bareudp", "gtp",
    ]
}

extension InterfaceClass {
    fileprivate mutating func worsen(by lower: InterfaceClass, _ reason: String) {
        isCellular = Self.worse(isCellular, lower.isCellular)
        isExpensive = Self.worse(isExpensive, lower.isExpensive)
        isConstrained = isConstrained || lower.isConstrained
        isPending = isPending || lower.isPending
        evidence.append(reason)
    }

    /// What is known is worse than what is not, and that is worse than what is known not to be.
    private static func worse(_ left: Bool?, _ right: Bool?) -> Bool? {
        if left == true || right == true { return true }
        return left == nil || right == nil ? nil : false
    }
}

extension InterfaceRule.Match {
    /// Whether the interface is meant.
    func fits(_ interface: NetworkInterface, _ attachment: LinkAttachment) -> Bool {
        guard !isEmpty else { return false }
        if let name, !Self.matches(interface.name, name) { return false }
        if let macAddress, macAddress != interface.macAddress { return false }
        if let driver, driver != attachment.driver { return false }
        if let gateway, !attachment.gateways.contains(gateway) { return false }
        if let ssid, attachment.ssid.map({ Self.matches($0, ssid) }) != true { return false }
        guard let connection else { return true }
        return attachment.connections.contains { Self.matches($0, connection) }
    }

    /// Whether a name fits a pattern with `*` and `?`, in time that grows with the product of their
    /// lengths.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let (name, pattern) = (Array(name.utf8), Array(pattern.utf8))
        var (position, place) = (0, 0)
        // Where the last `*` stands, and what it has taken so far.
        var (star, taken) = (-1, 0)
        while position < name.count {
            let wanted = place < pattern.count ? pattern[place] : 0
            if wanted == UInt8(ascii: "*") {
                (star, taken) = (place, position)
                place += 1
            } else if wanted == name[position] || wanted == UInt8(ascii: "?") {
                position += 1
                place += 1
            } else if star >= 0 {
                taken += 1
                (position, place) = (taken, star + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
