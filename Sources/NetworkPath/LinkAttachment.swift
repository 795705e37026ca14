internal import SystemKit

/// What an interface is attached to: what rules can ask for besides what it is.
struct LinkAttachment: Sendable, Hashable {
    /// The kernel's name of its driver.
    var driver: String?
    /// Whom default routes by it lead over.
    var gateways: [IPAddress] = []
    /// The name of the Wi-Fi network that it is in.
    var ssid: String?
    /// The name and the UUID of NetworkManager's connection that it has.
    var connections: [String] = []
}
