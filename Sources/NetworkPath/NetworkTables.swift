internal import SystemKit
internal import TransferModel

/// The interfaces, addresses and routes in a dump.
struct NetworkTables {
    private(set) var interfaces: [NetworkInterface] = []
    private(set) var routes: [Route] = []
    private var positions: [Int32: Int] = [:]

    /// Reads one message.
    mutating func add(_ kind: NetlinkHeader.Kind?, _ body: Span<UInt8>) {
        switch kind {
        case .link: addLink(body)
        case .address: addAddress(body)
        case .route: routes += Self.routes(in: body)
        case .rule, .error, .done, nil: break
        }
    }

    /// struct ifinfomsg and IFLA_… of `<linux/if_link.h>`.
    private mutating func addLink(_ body: Span<UInt8>) {
        guard let type = body.half(at: 2), let index = body.index(at: 4),
            let flags = body.word(at: 8)
        else { return }
        var interface = NetworkInterface(index: index, name: "", hardwareType: type)
        var state: UInt8 = 0
        var isElsewhere = false
        body.forEachAttribute(from: 16) { type, value in
            switch type {
            case 1: interface.macAddress = Self.macAddress(value)
            case 3: interface.name = value.cString
            case 5: interface.link = value.index(at: 0) ?? 0
            case 10: interface.master = value.index(at: 0) ?? 0
            case 16: state = value.isEmpty ? 0 : value[0]
            case 18: (interface.linkKind, interface.peers) = Self.linkKind(value)
            case 35: interface.carrierChanges = value.word(at: 0) ?? 0
            case 37: isElsewhere = true
            default: break
            }
        }
        // Ignore the other end of a veth, and interface numbers of another namespace.
        if isElsewhere || interface.linkKind == "veth" { interface.link = 0 }
        // IFF_UP, and IF_OPER_UP or IF_OPER_UNKNOWN (RFC 2863), the state of all tunnels.
        interface.isUp = flags & 1 != 0 && (state == 6 || state == 0)
        guard !interface.name.isEmpty, positions[index] == nil else { return }
        positions[index] = interfaces.count
        interfaces.append(interface)
    }

    /// IFLA_INFO_KIND, and the other ends of tunnels in IFLA_INFO_DATA.
    private static func linkKind(_ value: Span<UInt8>) -> (kind: String?, peers: [IPAddress]) {
        var kind: String?
        value.forEachAttribute(from: 0) { type, value in
            if type == 1 { kind = value.cString }
        }
        guard let kind, let types = remoteAttributes[kind] else { return (kind, []) }
        var peers: [IPAddress] = []
        value.forEachAttribute(from: 0) { type, data in
            guard type == 2 else { return }
            data.forEachAttribute(from: 0) { type, value in
                guard types.contains(type), let peer = IPAddress(bytes: value),
                    peer != .unspecified(bitCount: peer.bitCount), !peer.isMulticast
                else { return }
                peers.append(peer)
            }
        }
        return (kind, peers)
    }

    /// The attributes with the address of a tunnel's other end: IFLA_IPTUN_REMOTE, IFLA_GRE_REMOTE,
    /// IFLA_VTI_REMOTE and others of `<linux/if_tunnel.h>` and `<linux/if_link.h>`.
    private static let remoteAttributes: [String: Set<UInt16>] = [
        "ipip": [3], "sit": [3], "ip6tnl": [3], "gre": [7], "gretap": [7], "erspan": [7],
        "ip6gre": [7], "ip6gretap": [7], "ip6erspan": [7], "vti": [5], "vti6": [5],
        "vxlan": [2, 16], "geneve": [2, 7],
    ]

    private static func macAddress(_ value: Span<UInt8>) -> String? {
        guard value.count == 6 else { return nil }
        return value.bytes.map { $0.padded(to: 2, radix: 16) }.joined(separator: ":")
    }

    /// struct ifaddrmsg and IFA_… of `<linux/if_addr.h>`.
    private mutating func addAddress(_ body: Span<UInt8>) {
        guard body.count >= 8, let index = body.index(at: 4),
            let position = positions[index]
        else { return }
        var flags = UInt32(body[2])
        var address: IPAddress?
        var local: IPAddress?
        body.forEachAttribute(from: 8) { type, value in
            switch type {
            case 1: address = IPAddress(bytes: value)
            case 2: local = IPAddress(bytes: value)
            case 8: flags = value.word(at: 0) ?? flags
            default: break
            }
        }
        // On a point-to-point link the first address is the peer's. Tentative and duplicate
        // addresses cannot be used (RFC 4862 §5.4).
        guard let own = local ?? address, flags & 0x48 == 0, !own.isLinkLocal else { return }
        interfaces[position].addresses.append(own)
    }

    /// struct rtmsg and RTA_… of `<linux/rtnetlink.h>`; several routes for a multipath one.
    private static func routes(in body: Span<UInt8>) -> [Route] {
        // Only unicast routes that are not cached.
        guard body.count >= 12, body[7] == 1, let flags = body.word(at: 8), flags & 0x200 == 0,
            let reading = Reading(body), reading.table != Self.localTable
        else { return [] }
        let family = body[0]
        guard family == 2 || family == 10 else { return [] }
        let bitCount = family == 2 ? 32 : 128
        let destination = reading.destination ?? .unspecified(bitCount: bitCount)
        guard destination.bitCount == bitCount, body[1] <= bitCount else { return [] }
        return reading.hops.map {
            Route(
                destination: destination,
                prefix: Int(body[1]),
                interface: $0.interface,
                metric: reading.metric,
                gateway: $0.gateway,
                isMain: reading.table == Self.mainTable
            )
        }
    }

    /// RT_TABLE_MAIN and RT_TABLE_LOCAL.
    private static let mainTable: UInt32 = 254
    private static let localTable: UInt32 = 255

    /// The attributes of a route.
    struct Reading {
        /// A next hop.
        struct Hop {
            var interface: Int32
            var gateway: IPAddress?
        }

        var destination: IPAddress?
        var hops: [Hop] = []
        var metric: UInt32 = 0
        var table: UInt32

        init?(_ body: Span<UInt8>) {
            guard body.count >= 12 else { return nil }
            table = UInt32(body[4])
            var reading = self
            var interface: Int32?
            var gateway: IPAddress?
            body.forEachAttribute(from: 12) { type, value in
                switch type {
                case 1: reading.destination = IPAddress(bytes: value)
                case 4: interface = value.index(at: 0)
                case 6: reading.metric = value.word(at: 0) ?? 0
                case 9: reading.hops += Self.hops(in: value)
                case 15: reading.table = value.word(at: 0) ?? reading.table
                default: gateway = Self.gateway(type, value) ?? gateway
                }
            }
            if let interface {
                reading.hops.insert(.init(interface: interface, gateway: gateway), at: 0)
            }
            self = reading
        }

        /// RTA_GATEWAY, or RTA_VIA of a gateway of the other version.
        private static func gateway(_ type: UInt16, _ value: Span<UInt8>) -> IPAddress? {
            switch type {
            case 5: IPAddress(bytes: value)
            case 18 where value.count > 2: IPAddress(bytes: value.extracting(droppingFirst: 2))
            default: nil
            }
        }

        /// struct rtnexthop.
        private static func hops(in value: Span<UInt8>) -> [Hop] {
            var hops: [Hop] = []
            var offset = 0
            while let size = value.half(at: offset), size >= 8, offset + Int(size) <= value.count,
                let index = value.index(at: offset + 4)
            {
                var hop = Hop(interface: index)
                value.extracting(offset..<offset + Int(size)).forEachAttribute(from: 8) {
                    hop.gateway = gateway($0, $1) ?? hop.gateway
                }
                hops.append(hop)
                offset += (Int(size) + 3) & ~3
            }
            return hops
        }
    }
}
