package import SystemKit

/// The kind of a network interface, as far as it is known.
package enum InterfaceKind: String, Sendable, Hashable, CaseIterable {
    case loopback
    case wired
    case wifi
    case cellular
    case bluetooth
    case tunnel
    case other
}

/// A statement of a job or a host about some interfaces: one entry of `network.interfaces`.
package struct InterfaceRule: Sendable, Hashable {
    /// Selects the interfaces for which all conditions hold.
    package struct Match: Sendable, Hashable {
        /// A name; `*` matches any characters and `?` one.
        package var name: String?
        /// In lower case, with colons.
        package var macAddress: String?
        /// The kernel's name of the driver, such as `cdc_mbim`.
        package var driver: String?

        /// The name of its Wi-Fi network, with `*` and `?` as in `name`.
        package var ssid: String?
        /// The gateway of a default route over the interface.
        package var gateway: IPAddress?
        /// The name or UUID of its NetworkManager connection, with `*` and `?` as in `name`.
        package var connection: String?

        /// Creates a condition for each argument that is not nil.
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

        /// Whether there are no conditions; such a rule matches no interface.
        package var isEmpty: Bool { self == Match() }
    }

    /// The interfaces to which the rule applies.
    package var match: Match
    /// nil leaves the property to other sources; likewise below.
    package var kind: InterfaceKind?
    /// Whether use of the interface is paid for by the amount of data.
    package var isExpensive: Bool?
    /// Whether the interface is to carry as little data as possible.
    package var isConstrained: Bool?

    /// Creates a rule; a property that is nil comes from another source.
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
