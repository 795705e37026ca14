internal import SystemKit
internal import TransferModel

/// What the messages of a dump say of interfaces, addresses and routes.
struct NetworkTables {
    private(set) var interfaces: [NetworkInterface] = []
    private(set) var routes: [Route] = []
    private var positions: [Int32: Int] = [:]

    /// Takes in one message.
    mutating func add(_ kind: NetlinkHeader.Kind?, _ body: Span<UInt8>) {
        switch kind {
        case .link: addLink(body)
        case .address: addAddress(body)
        case .route: routes += Self.routes(in: body)
        case .error, .done, nil: break
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
            case 18: interface.linkKind = Self.linkKind(value)
            case 37: isElsewhere = true
            default: break
            }
        }
        // The other end of a veth is no part of it, and a number of another namespace names none of ours.
        if isElsewhere || interface.linkKind == "veth" { interface.link = 0 }
        // IFF_UP, and IF_OPER_UP or IF_OPER_UNKNOWN (RFC 2863): tunnels never say.
        interface.isUp = flags & 1 != 0 && (state == 6 || state == 0)
        guard !interface.name.isEmpty, positions[index] == nil else { return }
        positions[index] = interfaces.count
        interfaces.append(interface)
    }

    /// IFLA_INFO_KIND.
    private static func linkKind(_ value: Span<UInt8>) -> String? {
        var kind: String?
        value.forEachAttribute(from: 0) { type, value in
            if type == 1 { kind = value.cString }
        }
        return kind
    }

    private static func macAddress(_ value: Span<UInt8>) -> String? {
        guard value.count == 6 else { return nil }
        var parts: [String] = []
        for index in value.indices {
            let digits = String(value[index], radix: 16)
            parts.append(digits.utf8.count == 1 ? "0" + digits : digits)
        }
        return parts.joined(separator: ":")
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
        // Of a link between two points the first one is the other end's. Tentative ones, and those that somebody else has
        // already, cannot be used (RFC 4862 §5.4).
        guard let own = local ?? address, flags & 0x48 == 0, !own.isLinkLocal else { return }
        interfaces[position].addresses.append(own)
    }

    /// struct rtmsg and RTA_… of `<linux/rtnetlink.h>`; several when the route is spread over interfaces.
    private static func routes(in body: Span<UInt8>) -> [Route] {
        // Of the main table, to other machines, and none that is only remembered.
        guard body.count >= 12, body[7] == 1, let flags = body.word(at: 8), flags & 0x200 == 0,
            let reading = Reading(body), reading.table == 254
        else { return [] }
        let family = body[0]
        guard family == 2 || family == 10 else { return [] }
        let bitCount = family == 2 ? 32 : 128
        let destination = reading.destination ?? .unspecified(bitCount: bitCount)
        guard destination.bitCount == bitCount, body[1] <= bitCount else { return [] }
        return reading.interfaces.map {
            Route(
                destination: destination,
                prefix: Int(body[1]),
                interface: $0,
                metric: reading.metric
            )
        }
    }

    /// The attributes of a route.
    struct Reading {
        var destination: IPAddress?
        var interfaces: [Int32] = []
        var metric: UInt32 = 0
        var table: UInt32

        init?(_ body: Span<UInt8>) {
            guard body.count >= 12 else { return nil }
            table = UInt32(body[4])
            var reading = self
            body.forEachAttribute(from: 12) { type, value in
                switch type {
                case 1: reading.destination = IPAddress(bytes: value)
                case 4: reading.interfaces += value.index(at: 0).map { [$0] } ?? []
                case 6: reading.metric = value.word(at: 0) ?? 0
                case 9: reading.interfaces += Self.hops(in: value)
                case 15: reading.table = value.word(at: 0) ?? reading.table
                default: break
                }
            }
            self = reading
        }

        /// struct rtnexthop.
        private static func hops(in value: Span<UInt8>) -> [Int32] {
            var interfaces: [Int32] = []
            var offset = 0
            while let size = value.half(at: offset), size >= 8,
                let index = value.index(at: offset + 4)
            {
                interfaces.append(index)
                offset += (Int(size) + 3) & ~3
            }
            return interfaces
        }
    }
}
