package import SystemKit

/// What a network interface is, as far as somebody can tell.
package enum InterfaceKind: String, Sendable, Hashable, CaseIterable {
    case loopback
    case wired
    case wifi
    case cellular
    case bluetooth
    case tunnel
    case other
}

/// What a job or a host says of the interfaces that it means: one entry of `network.interfaces`.
package struct InterfaceRule: Sendable, Hashable {
    /// Which interfaces are meant: those that everything said here is true of.
    package struct Match: Sendable, Hashable {
        /// A name, in which `*` stands for any characters and `?` for one.
        package var name: String?
        /// In lower case, with colons.
        package var macAddress: String?
        /// The kernel's name of the driver, such as `cdc_mbim`.
        package var driver: String?

        /// The name of the Wi-Fi network that it is in, with `*` and `?` as in `name`.
        package var ssid: String?
        /// Whom a default route by it leads over.
        package var gateway: IPAddress?
        /// The name or the UUID of NetworkManager's connection that it has, with `*` and `?` as in
        /// `name`.
        package var connection: String?

        package init(
            name: String? = nil,
            macAddress: String? = nil,
            driver: String? = nil,
            ssid: String? = nil,
            gateway: IPAddress? = nil,
            connection: String? = nil
        ) {
            self.name = name
            self.macAddress = macAddress
            self.driver = driver
            self.ssid = ssid
            self.gateway = gateway
            self.connection = connection
        }

        /// Whether nothing is said, which no interface is meant by.
        package var isEmpty: Bool { self == Match() }
    }

    package var match: Match
    /// nil leaves it to what else is known, as with the others.
    package var kind: InterfaceKind?
    package var isExpensive: Bool?
    package var isConstrained: Bool?

    package init(
        match: Match,
        kind: InterfaceKind? = nil,
        isExpensive: Bool? = nil,
        isConstrained: Bool? = nil
    ) {
        self.match = match
        self.kind = kind
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
