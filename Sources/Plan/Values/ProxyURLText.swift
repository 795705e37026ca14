internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// The URL of a proxy: one of the schemes of `ProxyServer.Kind`, a host and a port.
enum ProxyURLText {
    static let pattern = "^[A-Za-z0-9]+://[^/?#@]+/?$"
    /// For the help of reports and the schema.
    static let example = "http://proxy.example.com:3128"

    private static let schemes = ProxyServer.Kind.allCases.map { "`\($0.rawValue)://`" }
        .joined(separator: ", ")

    /// The port may be left out where all programs agree on the port of its scheme: curl's for
    /// `http` is 1080, a browser's is 80.
    static func parse(_ text: String) throws(ValueFault) -> ProxyServer {
        let parts: ProxyText
        do {
            parts = try ProxyText(text)
        } catch {
            throw fault(error)
        }
        guard parts.userInformation == nil else {
            throw ValueFault(
                .badProxy,
                "a user name or password is not allowed in the URL of a proxy",
                help: "write `{ url: …, user: …, password: … }`"
            )
        }
        guard let kind = parts.kind else {
            // Do not offer a text that would be refused next: a password may follow the slash.
            let completed = "http://" + text
            throw ValueFault(
                .badProxy,
                "the URL of a proxy begins with \(schemes)",
                likely: (try? parse(completed)) == nil ? nil : completed
            )
        }
        guard parts.rest.isEmpty || parts.rest == "/" else {
            if isAutomatic(text) { throw automatic(text) }
            throw ValueFault(.badProxy, "the URL of a proxy has no path, query or fragment")
        }
        guard kind != .http || parts.port != nil else {
            throw ValueFault(
                .badProxy,
                "the URL of an http proxy needs a port, because there is no single default",
                likely: "http://\(parts.host):3128"
            )
        }
        return ProxyServer(kind: kind, host: parts.host, port: parts.port ?? kind.usualPort)
    }

    /// Whether a text names a program that should choose the proxy.
    static func isAutomatic(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasByteSuffix(".pac") || text.hasByteSuffix("/wpad.dat")
    }

    /// The fault of a script in the place of a proxy.
    static func automatic(_ text: String) -> ValueFault {
        ValueFault(
            .badProxy,
            "a proxy auto-configuration (PAC) script is no proxy",
            help: "write `proxy: { pac: … }` with the script's file or URL"
        )
    }

    /// The URL of a script, which must not hold a login.
    static func script(_ text: String) throws(ValueFault) -> TransferURL {
        guard let url = try? TransferURL(text) else {
            throw ValueFault(
                .badProxy,
                "the URL of a PAC script begins with `http://` or `https://`",
                help: "write such a URL, or the path of a file"
            )
        }
        guard !url.hasUserInformation, !url.mayBeTornLogin else {
            throw ValueFault(
                .badProxy,
                "a user name or password is not allowed in the URL of a PAC script"
            )
        }
        return url
    }

    /// One of the hosts that are reached directly.
    static func exception(_ text: String) throws(ValueFault) -> String {
        if ProxyExceptions.isEntry(text) { return text }
        let isBelow = text.hasBytePrefix("*.") && ProxyExceptions.isEntry(String(text.dropFirst()))
        let host = (try? TransferURL(text))?.origin.host
        throw ValueFault(
            .badProxy,
            "`\(text.excerpt)` is not a host, domain, address or network",
            likely: isBelow ? String(text.dropFirst()) : host,
            help:
                "write `example.com`, which includes its subdomains, `10.0.0.0/8`, or `\"*\"` for "
                + "all"
        )
    }

    private static func fault(_ fault: ProxyTextFault) -> ValueFault {
        switch fault {
        case .unknownScheme(let scheme):
            ValueFault(
                .badProxy,
                "the scheme `\(scheme.excerpt)` is not a scheme of a proxy",
                help: "it can be \(schemes)"
            )
        case .missingHost: ValueFault(.badProxy, "the URL has no host")
        case .badHost:
            ValueFault(.badProxy, "the host is not a valid name or address")
        case .badPort: ValueFault(.badProxy, "the port is not a number from 1 to 65535")
        }
    }
}
