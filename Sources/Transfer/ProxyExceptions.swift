internal import SystemKit

/// The hosts that `no_proxy` keeps from the proxy: names, domains, addresses, networks, or all of them.
struct ProxyExceptions: Sendable, Hashable {
    private struct Network: Hashable {
        let address: IPAddress
        let prefix: Int
    }

    private var isEverything = false
    private var domains: [String] = []
    private var networks: [Network] = []

    /// Reads a list separated by commas or blanks.
    ///
    /// A name counts for the domains below it too, with or without a dot before it. A network is an address and the
    /// length of its prefix, `10.0.0.0/8` or `fd00::/8`, as in curl since 7.86.
    init(_ text: String) {
        for word in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            if word == "*" {
                isEverything = true
            } else if let network = Self.network(word) {
                networks.append(network)
            } else {
                let domain = word.lowercased().drop { $0 == "." }
                if !domain.isEmpty {
                    domains.append(String(domain.hasSuffix(".") ? domain.dropLast() : domain))
                }
            }
        }
    }

    /// Whether a host, in lower case and with the brackets of an IPv6 address, is one of them.
    func contains(_ host: String) -> Bool {
        if isEverything { return true }
        if !networks.isEmpty, let address = IPAddress(host) {
            return networks.contains { address.isInNetwork(of: $0.address, prefix: $0.prefix) }
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return domains.contains { domain in
            name == domain || name.hasSuffix(domain) && name.dropLast(domain.count).last == "."
        }
    }

    /// An address, which is a network of one, or a network; nil for a name.
    private static func network(_ word: Substring) -> Network? {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        guard parts.count == 2 else { return Network(address: address, prefix: address.bitCount) }
        guard let prefix = Int(parts[1]), (0...address.bitCount).contains(prefix) else {
            return nil
        }
        return Network(address: address, prefix: prefix)
    }
}
