package import SystemKit

/// Queries kernel families with names instead of numbers (generic netlink); serves one thread at a
/// time.
package final class GenericNetlink {
    private let dialogue: NetlinkDialogue

    /// Opens a socket.
    ///
    /// - Throws: The errors of socket(2) and bind(2).
    package init() throws(SystemError) {
        dialogue = try NetlinkDialogue(with: .generic)
    }

    /// The number of addresses for further Multipath TCP paths (`ip mptcp endpoint`).
    ///
    /// - Returns: nil without Multipath TCP in the kernel or without permission.
    package func multipathEndpointCount() -> Int? {
        var count = 0
        // MPTCP_PM_CMD_GET_ADDR, MPTCP_PM_CMD_ADD_ADDR of `<linux/mptcp_pm.h>`.
        let isKnown = dump("mptcp_pm", command: 3) { _ in count += 1 }
        return isKnown ? count : nil
    }

    /// The Wi-Fi networks of interfaces, by interface number.
    func wirelessNetworks() -> [Int32: String] {
        var networks: [Int32: String] = [:]
        // NL80211_CMD_GET_INTERFACE of `<linux/nl80211.h>`.
        dump("nl80211", command: 5) { body in
            if let (interface, name) = Self.wirelessNetwork(in: body) { networks[interface] = name }
        }
        return networks
    }

    /// NL80211_ATTR_IFINDEX and NL80211_ATTR_SSID; nil for an interface without a network.
    static func wirelessNetwork(in body: Span<UInt8>) -> (interface: Int32, name: String)? {
        var interface: Int32?
        var name: String?
        body.forEachAttribute(from: 0) { type, value in
            switch type {
            case 3: interface = value.index(at: 0)
            // A name may have any bytes; names that are not text match no rule.
            case 52 where !value.isEmpty: name = String(decoding: value.bytes, as: UTF8.self)
            default: break
            }
        }
        guard let interface, let name else { return nil }
        return (interface, name)
    }

    /// The other ends of a WireGuard tunnel; empty without permission (CAP_NET_ADMIN).
    func wireGuardPeers(of interface: Int32) -> [IPAddress] {
        var peers: [IPAddress] = []
        // WG_CMD_GET_DEVICE and WGDEVICE_A_IFINDEX of `<linux/wireguard.h>`.
        dump("wireguard", command: 0, about: (1, NetlinkRequest.bytes(of: interface))) { body in
            peers += Self.wireGuardPeers(in: body)
        }
        return peers
    }

    /// WGPEER_A_ENDPOINT of each of WGDEVICE_A_PEERS: struct sockaddr_in or sockaddr_in6.
    static func wireGuardPeers(in body: Span<UInt8>) -> [IPAddress] {
        var peers: [IPAddress] = []
        body.forEachAttribute(from: 0) { type, list in
            guard type == 8 else { return }
            list.forEachAttribute(from: 0) { _, peer in
                peer.forEachAttribute(from: 0) { type, endpoint in
                    guard type == 4 else { return }
                    let place: Range<Int>? =
                        switch endpoint.half(at: 0) {
                        case 2 where endpoint.count >= 8: 4..<8
                        case 10 where endpoint.count >= 24: 8..<24
                        default: nil
                        }
                    let address = place.flatMap { IPAddress(bytes: endpoint.extracting($0)) }
                    if let address { peers.append(address) }
                }
            }
        }
        return peers
    }

    /// Passes the attributes of every message in a dump to `take`.
    ///
    /// - Returns: Whether the dump is complete; false without the family or permission.
    @discardableResult
    private func dump(
        _ name: String,
        command: UInt8,
        about attribute: (type: UInt16, value: [UInt8])? = nil,
        _ take: (Span<UInt8>) -> Void
    ) -> Bool {
        guard let family = try? family(name) else { return false }
        // NLM_F_REQUEST with NLM_F_DUMP; struct genlmsghdr.
        var request = NetlinkRequest(number: family, flags: 0x301, body: [command, 1, 0, 0])
        if let attribute { request.append(attribute.type, attribute.value) }
        do throws(SystemError) {
            try dialogue.ask(request, isDump: true) { header, body in
                guard header.number == family, body.count >= 4 else { return }
                take(body.extracting(droppingFirst: 4))
            }
            return true
        } catch {
            return false
        }
    }

    /// The number of a family; nil when the kernel lacks it.
    private func family(_ name: String) throws(SystemError) -> UInt16? {
        // GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, CTRL_ATTR_FAMILY_ID of
        // `<linux/genetlink.h>`.
        var request = NetlinkRequest(number: 16, flags: 1, body: [3, 2, 0, 0])
        request.append(2, Array(name.utf8) + [0])
        var family: UInt16?
        try dialogue.ask(request, isDump: false) { header, body in
            guard header.number == 16 else { return }
            body.forEachAttribute(from: 4) { type, value in
                if type == 1 { family = value.half(at: 0) }
            }
        }
        return family
    }
}
