package import SystemKit
package import TransferModel

/// The machine's interfaces and routes at one moment, and what a policy makes of them.
package struct NetworkSnapshot: Sendable, Hashable {
    /// In the kernel's order.
    package var interfaces: [NetworkInterface]
    /// Those to other machines.
    package var routes: [Route]

    package init(interfaces: [NetworkInterface], routes: [Route]) {
        self.interfaces = interfaces
        self.routes = routes
    }

    /// Whether there is a way to anywhere.
    package enum Status: Sendable, Hashable {
        case satisfied
        /// There is none; the reason why the best one is forbidden, nil when there is nothing to
        /// forbid.
        case unsatisfied(NetworkUnavailableReason?)
    }

    /// Which way a connection goes.
    package enum Decision: Sendable, Hashable {
        /// It does not leave the machine.
        case local
        case open(NetworkInterface)
        /// No permitted interface leads there; the reason why the one that does is forbidden, nil
        /// when none does.
        case refuse(NetworkUnavailableReason?)
    }

    /// The interface of that number.
    package func interface(_ index: Int32) -> NetworkInterface? {
        interfaces.first { $0.index == index }
    }

    /// The number of the interface that a zone names, or that it is (RFC 4007 §11.2); 0, which none
    /// has, for no interface.
    ///
    /// Capitals do not count: hosts of URLs are kept without them.
    package func interface(ofZone zone: some StringProtocol) -> Int32 {
        Int32(zone) ?? interfaces.first { $0.name.lowercased() == zone }?.index ?? 0
    }

    /// The interface that has that address.
    package func interface(of address: IPAddress) -> NetworkInterface? {
        let plain = address.unmapped
        return interfaces.first { $0.addresses.contains(plain) }
    }

    /// Whether a connection can be made over the interface: it has a carrier, an address and a
    /// route.
    package func isUsable(_ interface: NetworkInterface) -> Bool {
        guard interface.isUp, !interface.isLoopback else { return false }
        return interface.addresses.contains { address in
            routes.contains {
                $0.interface == interface.index && $0.isUsable
                    && $0.destination.bitCount == address.bitCount
            }
        }
    }

    /// What tasks with such access find before they know an address.
    package func status(for access: NetworkAccess) -> Status {
        var reason: (denial: NetworkUnavailableReason, rank: (Int, UInt32))?
        for interface in interfaces where isUsable(interface) {
            guard let denial = interface.classification.denial(under: access) else {
                return .satisfied
            }
            // The one by which most would go is the one to be named.
            let rank = rank(of: interface)
            if reason.map({ rank < $0.rank }) ?? true { reason = (denial, rank) }
        }
        return .unsatisfied(reason?.denial)
    }

    /// An interface that is forbidden and over which packets can leave; nil when there is none.
    ///
    /// - Parameter access: What forbids it.
    /// - Returns: The name of the interface, and why it is forbidden.
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

    /// Whether an interface of both has another class in the other one.
    func hasOtherClasses(than other: NetworkSnapshot) -> Bool {
        interfaces.contains { interface in
            other.interface(interface.index).map {
                $0.classification != interface.classification
            } ?? false
        }
    }

    /// The length and metric of an interface's widest route.
    private func rank(of interface: NetworkInterface) -> (Int, UInt32) {
        routes.lazy.filter { $0.interface == interface.index && $0.isUsable }
            .map { ($0.prefix, $0.metric) }.min(by: <) ?? (.max, .max)
    }

    /// Chooses the way to an address.
    ///
    /// - Parameters:
    ///   - peer: Whom the connection is for.
    ///   - preferred: The interface by which the kernel would go; nil when it knows no way.
    ///   - access: What the task may use.
    /// - Returns: The way, or why there is none.
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
            // One that has just come up may lead to another network than the one that it is known
            // for.
            if denial == nil, interface.isUp { return .open(interface) }
        }
        // The kernel takes every peer for a neighbour on an interface that it has no route for:
        // only one with a route of its own will do.
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

    /// Why what goes over an interface has to end; nil while it may go on.
    ///
    /// What daemons have still to say holds up what begins, and ends nothing; what is known without
    /// them does.
    package func denial(
        ofRunningOver interface: Int32,
        under access: NetworkAccess
    ) -> NetworkUnavailableReason? {
        guard var found = self.interface(interface)?.classification else { return nil }
        let mayBeUnknown = found.isPending
        found.isPending = false
        return found.denial(under: mayBeUnknown ? access.union(.unclassified) : access)
    }

    /// The names of the interfaces over which tasks with such access can make a connection now.
    package func permitted(for access: NetworkAccess) -> [String] {
        interfaces.filter { isUsable($0) && $0.classification.denial(under: access) == nil }
            .map(\.name)
    }
}
