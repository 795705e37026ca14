internal import SystemKit

/// Hosts that are reached without a proxy, as in `no_proxy`: names, domains, addresses, networks,
/// or all.
package struct ProxyExceptions: Sendable, Hashable {
    private struct Network: Hashable {
        let address: IPAddress
        let prefix: Int
    }

    private var isEverything = false
    private var domains: [String] = []
    private var networks: [Network] = []

    /// Reads a list separated by commas or blanks.
    ///
    /// A name includes its subdomains, with or without a leading dot. A network is an address and a
    /// prefix length, `10.0.0.0/8` or `fd00::/8`, as in curl since 7.86.
    package init(_ text: String = "") {
        for word in text.splitAtBytes(",", " ", "\t") {
            if word == "*" {
                isEverything = true
            } else if let network = Self.network(word) {
                networks.append(network)
            } else {
                let name = word.lowercased().drop { $0 == "." }
                // Hosts are compared in the form used for DNS.
                let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
                let domain = isASCII ? name : (InternationalName.ascii(name) ?? "")[...]
                if !domain.isEmpty {
                    domains.append(String(domain.withoutByteSuffix(".") ?? domain))
                }
            }
        }
    }

    /// Whether a text is a host, a domain, an address, a network or `*`.
    package static func isEntry(_ text: String) -> Bool {
        if text == "*" || network(text[...]) != nil { return true }
        let name = text.drop { $0 == "." }
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        return !name.isEmpty && (isASCII || InternationalName.ascii(name) != nil)
            && name.utf8.allSatisfy {
                $0.isAlphanumeric || "-._".utf8.contains($0) || $0 >= 0x80
            }
    }

    /// Whether the list includes a host, given in lower case and with the brackets of IPv6.
    package func contains(_ host: String) -> Bool {
        if isEverything { return true }
        if !networks.isEmpty, let address = IPAddress(host) {
            return networks.contains { address.isInNetwork(of: $0.address, prefix: $0.prefix) }
        }
        let name = host.withoutByteSuffix(".") ?? host[...]
        return domains.contains { domain in
            name == domain || name.hasByteSuffix("." + domain)
        }
    }

    /// A network or a single address; nil for a name.
    private static func network(_ word: Substring) -> Network? {
        let parts = word.splitAtBytes("/", maxSplits: 1, omittingEmpty: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        guard parts.count == 2 else { return Network(address: address, prefix: address.bitCount) }
        guard let prefix = Int(parts[1]), (0...address.bitCount).contains(prefix) else {
            return nil
        }
        return Network(address: address, prefix: prefix)
    }
}
