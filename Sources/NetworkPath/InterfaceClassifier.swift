internal import SystemKit
internal import TransferModel

/// Classifies interfaces by rules, daemons and devices: the strongest source decides each property.
struct InterfaceClassifier {
    /// Rules of the job, then those of the host.
    let rules: [(source: String, rule: InterfaceRule)]
    let devices: DeviceFolder
    /// The daemons' statements by interface name; the stronger daemon first.
    let daemons: [[String: InterfaceEvidence]]
    /// The attachments of interfaces, by name.
    let attachments: [String: LinkAttachment]
    /// The names of interfaces for which a daemon's answer is pending.
    var pending: Set<String> = []
    /// The machine's routes.
    let routes: [Route]

    /// Classifies all interfaces; an interface on top of others gets the worst of their classes.
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
        // Each round carries classes up by one layer; there are no more layers than interfaces.
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

    /// An interface below another one.
    private struct Lower {
        var position: Int
        /// Whether it carries a tunnel's packets; otherwise it is a part of the upper interface.
        var isCarrier: Bool
    }

    /// The lower interfaces of each interface, in order.
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

    /// The interface's own class, and whether a rule decides every property that a lower interface
    /// could change.
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
        // Rules do not apply to the loopback interface.
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

    /// Whether a daemon's answer may make a rule match: a rule for a network or a connection.
    private var mayRulesChange: Bool {
        rules.contains { $0.rule.match.ssid != nil || $0.rule.match.connection != nil }
    }

    /// The interfaces that carry a tunnel's packets: those to its other ends, or the default ones
    /// if these are unknown.
    ///
    /// The main table counts, as for most tunnels' own packets: rules that a tunnel installs are
    /// for traffic inside it.
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
    /// Whether an invisible interface carries its packets: a tunnel's carrier, the other end of a
    /// veth in another namespace, or a PPP connection's modem or network.
    fileprivate var isMadeOfUnseen: Bool {
        guard link == 0 else { return false }
        return isTunnel || hardwareType == Self.pointToPoint
            || linkKind.map { !Self.wholeKinds.contains($0) } ?? false
    }

    /// Whether its packets are encapsulated and sent to its other end.
    fileprivate var isTunnel: Bool {
        linkKind.map(Self.tunnelKinds.contains) ?? Self.tunnels.contains(hardwareType)
    }

    /// Virtual interfaces, by kernel type, that consist of their ports or stay in this machine.
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

    /// True is worse than unknown, and unknown is worse than false.
    private static func worse(_ left: Bool?, _ right: Bool?) -> Bool? {
        if left == true || right == true { return true }
        return left == nil || right == nil ? nil : false
    }
}

extension InterfaceRule.Match {
    /// Whether the rule matches the interface.
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

    /// Whether a name matches a pattern with `*` and `?`, in time proportional to the product of
    /// their lengths.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let (name, pattern) = (Array(name.utf8), Array(pattern.utf8))
        var (position, place) = (0, 0)
        // The place of the last `*` and how much it has matched.
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
