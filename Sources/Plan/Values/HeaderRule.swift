internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// The rules for a header field that the job file writes.
enum HeaderRule {
    /// A token as the JSON Schema has it.
    static let namePattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"

    /// Fields that the runner makes itself, or that hold for one connection (RFC 9110 §7.6.1, RFC
    /// 9113 §8.2.2).
    private static let reserved: [String: String] = [
        "content-length": "the length comes from the body",
        "transfer-encoding": "the coding comes from the body",
        "connection": "runner manages the connections",
        "proxy-connection": "runner manages the connections",
        "keep-alive": "runner manages the connections",
        "upgrade": "runner manages the connections",
        "te": "runner manages the connections",
        "proxy-authenticate": "it belongs to responses only",
        "www-authenticate": "it belongs to responses only",
        "proxy-authorization": "it belongs to the proxy, not to the server",
    ]

    /// A name that is a token (RFC 9110 §5.1) and not reserved.
    static func checkName(_ name: String, inSession: Bool) throws(ValueFault) {
        try checkToken(name)
        let lowercased = name.lowercased()
        if let reason = reserved[lowercased] {
            throw ValueFault(.reservedHeader, "`\(name)` cannot be set by hand: \(reason)")
        }
        if inSession, ["authorization", HostField.name].contains(lowercased) {
            throw ValueFault(
                .reservedHeader,
                "`\(name)` cannot be set for a whole session: it would go to every origin",
                help: "set it in the `headers` of the tasks that need it"
            )
        }
    }

    /// A name that is allowed in a part of a multipart body (RFC 7578 §4.8) and does not
    /// come from the part.
    static func checkPartName(_ name: String) throws(ValueFault) {
        try checkToken(name)
        switch name.lowercased() {
        case "content-disposition":
            throw ValueFault(
                .reservedHeader,
                "`\(name)` cannot be set by hand: it comes from the part's name and `fileName`"
            )
        case "content-type":
            throw ValueFault(
                .reservedHeader,
                "`\(name)` cannot be set here",
                help: "write it as the part's `contentType`"
            )
        case "content-length":
            throw ValueFault(
                .reservedHeader,
                "`\(name)` cannot be set by hand: the length comes from the part"
            )
        default: break
        }
    }

    /// A name that is a token.
    static func checkToken(_ name: String) throws(ValueFault) {
        guard isToken(name) else {
            throw ValueFault(
                .badHeader,
                "`\(name)` is not a header name",
                help: "a name has only letters, digits and the signs of a token (RFC 9110 §5.6.2)"
            )
        }
    }

    /// A value without control characters other than the tab (RFC 9110 §5.5).
    static func checkValue(_ value: String) throws(ValueFault) {
        let bytes = value.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F {
            guard bytes[index] != 9 else { continue }
            let what =
                switch bytes[index] {
                case 10, 13: "a line break"
                case 0: "a NUL character"
                default: "a control character"
                }
            throw ValueFault(.badHeader, "\(what) is not allowed in a header value")
        }
    }

    /// One or more of the characters of RFC 9110 §5.6.2.
    static func isToken(_ text: String) -> Bool { text.utf8.span.isToken }
}

/// The value of a `Host` field: a host, perhaps with a port (RFC 9110 §7.2).
enum HostFieldText {
    /// Refuses a value that a server could read in another way than the runner.
    static func check(_ value: String) throws(ValueFault) {
        guard value.utf8.allSatisfy({ $0 < 0x80 }), ServerText.parse(value) != nil else {
            throw ValueFault(
                .badHeader,
                "`\(value.excerpt)` is not a host with or without a port",
                help: "write it as in `shop.example.com` or `shop.example.com:8443`; to reach "
                    + "another server under the name of the URL, write `connectTo` in the session"
            )
        }
    }
}

/// A host, perhaps with a port, as in `staging.example.com`, `192.0.2.1:8443` and `[2001:db8::1]`.
enum ServerText {
    /// The host in lower case and its port; nil for any other text.
    static func parse(_ text: String) -> (host: String, port: Int?)? {
        guard let target = TransferURL.authority(text), !text.hasByteSuffix(":") else { return nil }
        let hasPort = !text.hasByteSuffix("]") && text.utf8.contains(UInt8(ascii: ":"))
        return (target.host, hasPort ? target.port : nil)
    }
}

/// The value of an `Idempotency-Key` field: a string of RFC 8941 §3.3.3, as
/// draft-ietf-httpapi-idempotency-key-header asks for.
enum IdempotencyKeyText {
    /// The key in quotes; a quoted key may have only printable ASCII.
    static func parse(_ text: String) throws(ValueFault) -> String {
        try checkField(text)
        var quoted = "\""
        for scalar in text.unicodeScalars {
            guard (0x20...0x7E).contains(scalar.value) else {
                throw ValueFault(.badValue, "a key has printable ASCII characters only")
            }
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Refuses the value of a field that the job writes itself if it names no order.
    static func checkField(_ value: String) throws(ValueFault) {
        guard IdempotencyKeyField.isBlank(value) else { return }
        throw ValueFault(
            .badValue,
            "an idempotency key may not be \(value.isEmpty ? "empty" : "blank")",
            help:
                "write a value that identifies the request; without the key, the request is sent "
                + "only once"
        )
    }
}
