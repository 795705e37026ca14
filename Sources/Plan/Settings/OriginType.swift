internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// An origin: scheme, host and port.
enum OriginType {
    static let pattern = "^[hH][tT][tT][pP][sS]?://[^/?#@]+/?$"

    /// Also matches the origins of file servers.
    static let credentialPattern =
        "^(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP][sS]?|[sS][fF][tT][pP])://[^/?#@]+/?$"

    /// The origin of a credential, which may also be that of a file server.
    static let ofCredential = ValueType<Origin>(
        .text(pattern: credentialPattern, example: "https://example.com")
    ) {
        reader,
        field in
        if let text = reader.text(field), TransferURL.isOfFileServer(text) {
            if let origin = TransferURL.originOfFileServer(text) { return origin }
            reader.report(
                .badURL,
                "`\(field.name)` must be a scheme, a host and perhaps a port",
                at: field.node
            )
            return nil
        }
        return type.read(&reader, field)
    }

    /// Any http or https origin.
    static let type = ValueType<Origin>(
        .text(pattern: pattern, example: "https://example.com")
    ) { reader, field in
        guard let text = reader.text(field),
            let url = reader.parsed(text, of: field, URLText.parse)
        else { return nil }
        let rest = url.text.utf8.count - url.authorityEnd
        guard rest == 0 || rest == 1 && url.text.hasByteSuffix("/") else {
            let fault = ValueFault(
                .badURL,
                "an origin has no path, query or fragment",
                likely: url.origin.text
            )
            reader.report(fault, of: field)
            return nil
        }
        return url.origin
    }

    /// An origin that may get a secret; the session of a server of FTP says whether TLS begins
    /// before the login (`FileServerCheck`).
    static let ofSecret = ValueType<Origin>(ofCredential.shape) { reader, field in
        guard let origin = ofCredential.read(&reader, field) else { return nil }
        return origin.scheme == .ftp || isConfidential(origin, field, &reader) ? origin : nil
    }

    /// A host as the JSON Schema has it.
    static let hostPattern = "^[^/:?#@]+$|^\\[[^/?#@]+\\]$"

    /// A host name or address without scheme and port.
    static let host = ValueType<String>(.text(pattern: hostPattern, example: "example.com")) {
        reader,
        field in
        guard let text = reader.text(field) else { return nil }
        guard let origin = TransferURL.authority(text),
            text.hasByteSuffix("]") || !text.utf8.contains(UInt8(ascii: ":"))
        else {
            let fault = ValueFault(
                .badURL,
                "`\(text.excerpt)` is not the name of a host",
                help: "a host has no scheme, port or path; write an `origin` to give one of these"
            )
            reader.report(fault, of: field)
            return nil
        }
        return origin.host
    }
}

extension OriginType {
    /// Whether others cannot read the traffic to an origin; reports an origin where they can.
    static func isConfidential(
        _ origin: Origin,
        _ field: Field,
        _ reader: inout Reader
    ) -> Bool {
        if origin.isConfidential { return true }
        reader.report(
            .secretOverPlainHTTP,
            "`\(field.name)`: others can read the traffic to `\(origin.text)`",
            at: field.node,
            help: "use `https://`"
        )
        return false
    }
}
