package import SystemKit

/// Queries the kernel's interfaces and routes; needs no privilege, and serves one thread at a time.
package final class RouteSocket {
    private let dialogue: NetlinkDialogue

    /// How often an interrupted dump is started again.
    private static let mostDumps = 4

    /// Opens the socket.
    ///
    /// - Throws: The errors of socket(2) and bind(2).
    package init() throws(SystemError) {
        dialogue = try NetlinkDialogue(with: .routes)
    }

    /// The interface by which the kernel would currently reach an address.
    ///
    /// - Parameter address: The peer of a connection.
    /// - Returns: The interface's number; nil when the kernel has no route.
    /// - Throws: The errors of send(2) and recv(2).
    package func interface(to address: IPAddress) throws(SystemError) -> Int32? {
        try interface(by: Self.request(to: address, fromBitCount: 0))
    }

    /// The interface of a connection's packets now: with several equal routes or with rules, the
    /// kernel chooses one for each connection (before Linux 4.18 without regard to its ports).
    ///
    /// - Returns: The interface's number; nil when the kernel has no route.
    /// - Throws: The errors of send(2) and recv(2).
    package func interface(of connection: ConnectionEnds) throws(SystemError) -> Int32? {
        let own = connection.own
        var request = Self.request(to: connection.peer, fromBitCount: own.bitCount)
        // RTA_SRC, RTA_IP_PROTO, RTA_SPORT and RTA_DPORT of `<linux/rtnetlink.h>`; ports in network
        // order.
        request.append(2, own.bytes)
        request.append(27, [connection.isDatagram ? 17 : 6])
        request.append(28, Self.bytes(of: connection.ownPort))
        request.append(29, Self.bytes(of: connection.peerPort))
        return try interface(by: request)
    }

    private static func bytes(of port: UInt16) -> [UInt8] {
        [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    }

    /// A route request: struct rtmsg and RTA_DST.
    private static func request(to peer: IPAddress, fromBitCount own: Int) -> NetlinkRequest {
        let family: UInt8 = peer.bitCount == 128 ? 10 : 2
        let lengths = [peer.bitCount, own].map(UInt8.init(clamping:))
        let head = [family] + lengths + [UInt8](repeating: 0, count: 9)
        var request = NetlinkRequest(kind: .route, flags: 1, body: head)
        request.append(1, peer.bytes)
        return request
    }

    private func interface(by request: NetlinkRequest) throws(SystemError) -> Int32? {
        var found: Int32?
        try dialogue.ask(request, isDump: false) { header, body in
            if header.kind == .route { found = NetworkTables.Reading(body)?.hops.first?.interface }
        }
        return found
    }

    /// Whether only the loopback interface is up with an address and a route.
    ///
    /// - Throws: The errors of send(2) and recv(2).
    package func isCutOff() throws(SystemError) -> Bool {
        let tables = try tables()
        let others = tables.interfaces.filter {
            $0.hardwareType != NetworkInterface.loopback
        }
        let network = NetworkSnapshot(interfaces: others, routes: tables.routes)
        return !others.contains { network.isUsable($0) }
    }

    /// Whether routes depend on the destination alone: not on the source address, ports, marks or
    /// type of service, and not on a choice between several routes.
    ///
    /// - Throws: The errors of send(2) and recv(2).
    package func choosesByDestination() throws(SystemError) -> Bool {
        var isPlain = true
        // FRA_DST, FRA_GOTO, FRA_PRIORITY, FRA_SUPPRESS_…, FRA_TABLE and FRA_PROTOCOL of
        // `<linux/fib_rules.h>`.
        let plainAttributes: Set<UInt16> = [0, 1, 4, 6, 13, 14, 15, 21]
        for kind in [NetlinkHeader.Kind.rule, .route] {
            let body = [UInt8](repeating: 0, count: 12)
            let request = NetlinkRequest(kind: kind, flags: 0x301, body: body)
            try dialogue.ask(request, isDump: true) { header, body in
                guard header.kind == kind, body.count >= 12 else { return }
                // The prefix length of the source, and the type of service.
                if body[2] != 0 || body[3] != 0 { isPlain = false }
                if kind == .rule {
                    body.forEachAttribute(from: 12) { type, _ in
                        if !plainAttributes.contains(type) { isPlain = false }
                    }
                } else if let reading = NetworkTables.Reading(body), reading.hops.count > 1 {
                    isPlain = false
                }
            }
        }
        return isPlain
    }

    /// All interfaces, addresses and routes, without classes.
    ///
    /// - Throws: The errors of send(2) and recv(2).
    func tables() throws(SystemError) -> NetworkTables {
        var tables = NetworkTables()
        for round in 1...Self.mostDumps {
            tables = NetworkTables()
            var isInterrupted = false
            for (kind, size) in [(NetlinkHeader.Kind.link, 16), (.address, 8), (.route, 12)] {
                let body = [UInt8](repeating: 0, count: size)
                let request = NetlinkRequest(kind: kind, flags: 0x301, body: body)
                try dialogue.ask(request, isDump: true) { header, body in
                    isInterrupted = isInterrupted || header.isInterrupted
                    tables.add(header.kind, body)
                }
            }
            if !isInterrupted || round == Self.mostDumps { break }
        }
        return tables
    }
}

/// The endpoints and the protocol of a connection, by which the kernel chooses its route.
package struct ConnectionEnds: Sendable, Hashable {
    /// The address of this machine's end.
    package var own: IPAddress
    /// The port of this machine's end.
    package var ownPort: UInt16
    /// The address of the server or the proxy.
    package var peer: IPAddress
    /// The port of the server or the proxy.
    package var peerPort: UInt16
    /// UDP instead of TCP.
    package var isDatagram: Bool

    /// Creates the ends of a TCP or UDP connection.
    package init(
        own: IPAddress,
        ownPort: UInt16,
        peer: IPAddress,
        peerPort: UInt16,
        isDatagram: Bool = false
    ) {
        self.own = own
        self.ownPort = ownPort
        self.peer = peer
        self.peerPort = peerPort
        self.isDatagram = isDatagram
    }
}
