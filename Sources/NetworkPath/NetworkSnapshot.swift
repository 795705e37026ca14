package import SystemKit
package import TransferModel

/// The machine's interfaces and routes at one moment, and how policies apply to them.
package struct NetworkSnapshot: Sendable, Hashable {
    /// In the kernel's order.
    package var interfaces: [NetworkInterface]
    /// The routes to other machines.
    package var routes: [Route]

    /// Creates a snapshot; `interfaces` are in the kernel's order.
    package init(interfaces: [NetworkInterface], routes: [Route]) {
        self.interfaces = interfaces
        self.routes = routes
    }

    /// Whether any connection is possible.
    package enum Status: Sendable, Hashable {
        case satisfied
        /// No connection is possible; with the reason that forbids the best interface, nil without
        /// an interface.
        case unsatisfied(NetworkUnavailableReason?)
    }

    /// The path of a connection.
    package enum Decision: Sendable, Hashable {
        /// It does not leave the machine.
        case local
        case open(NetworkInterface)
        /// No permitted interface leads there; the reason forbids the interface that does, nil if
        /// none does.
        case refuse(NetworkUnavailableReason?)
    }

    /// The interface with a number.
    package func interface(_ index: Int32) -> NetworkInterface? {
        interfaces.first { $0.index == index }
    }

    /// The number of the interface with a zone's name or number (RFC 4007 §11.2); 0 without such an
    /// interface.
    ///
    /// Case is ignored, because hosts of URLs are kept in lower case.
    package func interface(ofZone zone: some StringProtocol) -> Int32 {
        Int32(zone) ?? interfaces.first { $0.name.lowercased() == zone }?.index ?? 0
    }

    /// The interface with an address.
    package func interface(of address: IPAddress) -> NetworkInterface? {
        let plain = address.unmapped
        return interfaces.first { $0.addresses.contains(plain) }
    }

    /// Whether connections can use the interface: it has a carrier, an address and a route.
    package func isUsable(_ interface: NetworkInterface) -> Bool {
        guard interface.isUp, !interface.isLoopback else { return false }
        return interface.addresses.contains { address in
            routes.contains {
                $0.interface == interface.index && $0.isUsable
                    && $0.destination.bitCount == address.bitCount
            }
        }
    }

    /// The status for tasks with an access rule, without regard to an address.
    package func status(for access: NetworkAccess) -> Status {
        var reason: (denial: NetworkUnavailableReason, rank: (Int, UInt32))?
        for interface in interfaces where isUsable(interface) {
            guard let denial = interface.classification.denial(under: access) else {
                return .satisfied
            }
            // Report the interface that most connections would use.
            let rank = rank(of: interface)
            if reason.map({ rank < $0.rank }) ?? true { reason = (denial, rank) }
        }
        return .unsatisfied(reason?.denial)
    }

    /// A forbidden interface by which packets can leave; nil if there is none.
    ///
    /// - Parameter access: The access rule.
    /// - Returns: The interface's name, and why it is forbidden.
    package func forbiddenWay(
        under access: NetworkAccess
    ) -> (interface: String, reason: NetworkUnavailableReason)? {
        for interface in interfaces where isUsable(interface) {
            if let reason = interface.classification.denial(under: access) {
                return (interface.name, reason)
            }
        }
        return nil
    }

    /// Whether an interface has different classes in the two snapshots.
    func hasOtherClasses(than other: NetworkSnapshot) -> Bool {
        interfaces.contains { interface in
            other.interface(interface.index).map {
                $0.classification != interface.classification
            } ?? false
        }
    }

    /// The prefix length and metric of an interface's widest route.
    private func rank(of interface: NetworkInterface) -> (Int, UInt32) {
        routes.lazy.filter { $0.interface == interface.index && $0.isUsable }
            .map { ($0.prefix, $0.metric) }.min(by: <) ?? (.max, .max)
    }

    /// Chooses the path to an address.
    ///
    /// - Parameters:
    ///   - peer: The peer of the connection.
    ///   - preferred: The interface that the kernel would use; nil without a route.
    ///   - access: The task's access rule.
    /// - Returns: The path, or why there is none.
    package func decide(
        to peer: IPAddress,
        preferred: Int32?,
        under access: NetworkAccess
    ) -> Decision {
        let peer = peer.unmapped
        if peer.isLoopback { return .local }
        var denial: NetworkUnavailableReason?
        if let interface = preferred.flatMap({ interface($0) }) {
            if interface.isLoopback { return .local }
            denial = interface.classification.denial(under: access)
            // An interface that has just come up may lead to another network than expected.
            if denial == nil, interface.isUp { return .open(interface) }
        }
        // Without a route to the peer, the kernel would look for it on the interface's own link:
        // require a route.
        let ways = routes.filter {
            $0.isMain && peer.isInNetwork(of: $0.destination, prefix: $0.prefix)
        }
        let best = ways.compactMap { route in
            interface(route.interface).flatMap { interface in
                isUsable(interface) && interface.classification.denial(under: access) == nil
                    ? (route, interface) : nil
            }
        }.min { ($1.0.prefix, $0.0.metric) < ($0.0.prefix, $1.0.metric) }
        return best.map { .open($0.1) } ?? .refuse(denial)
    }

    /// Why traffic over an interface must end; nil while it may continue.
    ///
    /// A pending answer of a daemon delays new traffic but ends none; properties known without it
    /// do.
    package func denial(
        ofRunningOver interface: Int32,
        under access: NetworkAccess
    ) -> NetworkUnavailableReason? {
        guard var found = self.interface(interface)?.classification else { return nil }
        let mayBeUnknown = found.isPending
        found.isPending = false
        return found.denial(under: mayBeUnknown ? access.union(.unclassified) : access)
    }

    /// The names of the interfaces that tasks with an access rule can use now.
    package func permitted(for access: NetworkAccess) -> [String] {
        interfaces.filter { isUsable($0) && $0.classification.denial(under: access) == nil }
            .map(\.name)
    }
}
