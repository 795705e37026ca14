internal import SystemKit

/// The driver and networks of an interface, for matching rules.
struct LinkAttachment: Sendable, Hashable {
    /// The kernel's name of its driver.
    var driver: String?
    /// The gateways of its default routes.
    var gateways: [IPAddress] = []
    /// The name of its Wi-Fi network.
    var ssid: String?
    /// The name and the UUID of its NetworkManager connection.
    var connections: [String] = []
}
