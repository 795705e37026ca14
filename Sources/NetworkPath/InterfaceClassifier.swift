internal import SystemKit
internal import TransferModel

/// Says what each interface is, from rules, daemons and devices: of each property, what the strongest source says.
struct InterfaceClassifier {
    /// Rules of the job, then those of the host.
    let rules: [(source: String, rule: InterfaceRule)]
    let devices: DeviceFolder
    /// What daemons say, by names; the stronger one first.
    let daemons: [[String: InterfaceEvidence]]

    /// Classifies all interfaces; one that is made of others is the worst of them.
    func classify(_ interfaces: inout [NetworkInterface]) {
        let own = interfaces.map(ownClass)
        var all = own.map(\.value)
        // Each round carries classes up by one floor; there is none above the last interface.
        for _ in interfaces.indices {
            let before = all
            for position in interfaces.indices {
                all[position] = own[position].value
                guard !own[position].isRuled else { continue }
                for lower in interfaces.indices
                where lower != position && interfaces[position].stands(on: interfaces[lower]) {
                    all[position].worsen(by: before[lower], of: interfaces[lower].name)
                }
            }
            if all == before { break }
        }
        for position in interfaces.indices { interfaces[position].classification = all[position] }
    }

    /// What is known of an interface itself, and whether a rule says all that a lower one could.
    private func ownClass(_ interface: NetworkInterface) -> (value: InterfaceClass, isRuled: Bool) {
        let device = devices.device(of: interface)
        var ruled: [InterfaceEvidence] = []
        for (source, rule) in rules where rule.match.fits(interface, driver: device.driver) {
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
            ruled + daemons.compactMap { $0[interface.name] } + device.evidence(of: interface)
        let ruledKind = ruled.lazy.compactMap(\.kind).first
        let ruledCost = ruled.lazy.compactMap(\.isExpensive).first
        let kind = evidence.lazy.compactMap(\.kind).first ?? .other
        let isHidden = interface.isMadeOfUnseen && ruledKind == nil
        let cost = evidence.lazy.compactMap(\.isExpensive).first
        let value = InterfaceClass(
            kind: kind,
            isCellular: kind == .cellular ? true : isHidden ? nil : false,
            isExpensive: cost ?? (isHidden ? nil : false),
            isConstrained: evidence.lazy.compactMap(\.isConstrained).first ?? false,
            evidence: evidence.filter { !$0.isEmpty }.map(\.source)
        )
        return (value, ruledKind != nil && ruledCost != nil)
    }
}

extension NetworkInterface {
    /// Whether its packets leave by that one.
    fileprivate func stands(on lower: NetworkInterface) -> Bool {
        lower.master == index || link == lower.index
    }

    /// Whether its packets leave by an interface that is not to be seen: a tunnel's by whatever leads to its other end, a
    /// veth's in another namespace.
    fileprivate var isMadeOfUnseen: Bool {
        guard link == 0 else { return false }
        return Self.tunnels.contains(hardwareType) || Self.unseenKinds.contains(linkKind ?? "")
    }

    /// Virtual interfaces, by their names in the kernel, that do not say what they are made of.
    private static let unseenKinds: Set<String> = [
        "veth", "vlan", "tun", "wireguard", "ipip", "sit", "gre", "gretap", "ip6gre", "ip6gretap",
        "ip6tnl",
        "vti", "vti6", "xfrm", "vxlan", "geneve", "macvlan", "ipvlan", "macvtap", "ovpn-dco",
    ]
}

extension InterfaceClass {
    fileprivate mutating func worsen(by lower: InterfaceClass, of name: String) {
        isCellular = Self.worse(isCellular, lower.isCellular)
        isExpensive = Self.worse(isExpensive, lower.isExpensive)
        isConstrained = isConstrained || lower.isConstrained
        evidence.append("made of \(name)")
    }

    /// What is known is worse than what is not, and that is worse than what is known not to be.
    private static func worse(_ left: Bool?, _ right: Bool?) -> Bool? {
        if left == true || right == true { return true }
        return left == nil || right == nil ? nil : false
    }
}

extension InterfaceRule.Match {
    /// Whether the interface is meant.
    func fits(_ interface: NetworkInterface, driver: String?) -> Bool {
        guard !isEmpty else { return false }
        if let name, !Self.matches(interface.name, name) { return false }
        if let macAddress, macAddress != interface.macAddress { return false }
        return self.driver == nil || self.driver == driver
    }

    /// Whether a name fits a pattern with `*` and `?`, in time that grows with the product of their lengths.
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
