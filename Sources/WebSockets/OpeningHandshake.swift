internal import SystemKit
package import TransferModel

/// The client's side of the opening handshake (RFC 6455 §4.1, §4.2.2): the fields of one request
/// and the check of its response.
///
/// The request is `GET` over HTTP/1.1 with the URL's path and query. A response other than 101 is
/// an ordinary HTTP response: the caller follows redirects and answers challenges, and makes a new
/// handshake, with a new key, for each connection.
package struct OpeningHandshake: Sendable, Hashable {
    /// The value of `Host`: the URL's host, and its port unless that is the scheme's default.
    package let host: String
    /// The subprotocols that the client speaks, preferred ones first.
    package let subprotocols: [String]
    /// The value of `Sec-WebSocket-Key`: 16 random bytes in Base64 (§4.1 item 7).
    package let key: String

    /// Makes a handshake with a new key.
    ///
    /// Throws for a subprotocol that is no token (RFC 9110 §5.6.2) or that the list repeats
    /// (§4.1 item 10). Keys of real connections come from `SystemRandomNumberGenerator`.
    package init(
        host: String,
        subprotocols: [String] = [],
        using generator: inout some RandomNumberGenerator
    ) throws(SubprotocolFault) {
        for (index, name) in subprotocols.enumerated() {
            guard name.utf8.span.isToken else { throw .notAToken(name) }
            guard !subprotocols[..<index].contains(where: { $0.hasSameBytes(as: name) }) else {
                throw .repeated(name)
            }
        }
        self.host = host
        self.subprotocols = subprotocols
        key = Base64.encode(
            (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        )
    }

    /// The fields of the request that belong to the handshake, in the order of §1.2.
    ///
    /// No extension is asked for, because the codec has none.
    package var requestFields: [HeaderField] {
        var fields = [
            HeaderField(name: "Host", value: host),
            HeaderField(name: "Upgrade", value: "websocket"),
            HeaderField(name: "Connection", value: "Upgrade"),
            HeaderField(name: "Sec-WebSocket-Key", value: key),
            HeaderField(name: "Sec-WebSocket-Version", value: Self.version),
        ]
        if !subprotocols.isEmpty {
            let list = subprotocols.joined(separator: ", ")
            fields.append(HeaderField(name: "Sec-WebSocket-Protocol", value: list))
        }
        return fields
    }

    /// The value that `Sec-WebSocket-Accept` must have: a digest of the key (§4.2.2 item 5.4).
    package var expectedAccept: String {
        Base64.encode(SHA1.digest(of: Array((key + Self.identifier).utf8)))
    }

    /// Checks a response head (§4.1, "Once the client's opening handshake has been sent").
    ///
    /// Returns the subprotocol that the server chose; nil for none. The bytes behind the head
    /// belong to the `WebSocketMachine`.
    package func check(_ head: ResponseHead) throws(HandshakeRefusal) -> String? {
        guard head.statusCode == 101 else { throw refusal(of: head) }
        let fields = head.fields
        let upgrades = fields.values(of: "Upgrade")
        guard !upgrades.isEmpty else { throw .missingField("Upgrade") }
        guard upgrades.count == 1, upgrades[0].isEqualIgnoringCase("websocket") else {
            throw .wrongUpgrade(upgrades.joined(separator: ", "))
        }
        let options = fields.values(of: "Connection")
        guard !options.isEmpty else { throw .missingField("Connection") }
        guard Self.members(of: options).contains(where: { $0.isEqualIgnoringCase("upgrade") })
        else { throw .wrongConnection(options.joined(separator: ", ")) }
        let accept = try single("Sec-WebSocket-Accept", in: fields)
        guard let accept else { throw .missingField("Sec-WebSocket-Accept") }
        guard accept.hasSameBytes(as: expectedAccept) else { throw .wrongAccept(accept) }
        if let name = Self.members(of: fields.values(of: "Sec-WebSocket-Extensions")).first {
            throw .unknownExtension(name)
        }
        guard let chosen = try single("Sec-WebSocket-Protocol", in: fields) else { return nil }
        guard subprotocols.contains(where: { $0.hasSameBytes(as: chosen) }) else {
            throw .unknownSubprotocol(chosen)
        }
        return chosen
    }

    /// The only version of the protocol that RFC 6455 defines (§4.1 item 9).
    private static let version = "13"
    /// Appended to the key before it is hashed (§1.3).
    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The refusal of a status other than 101; a server that speaks other versions of the protocol
    /// lists them (§4.4).
    private func refusal(of head: ResponseHead) -> HandshakeRefusal {
        let versions = Self.members(of: head.fields.values(of: "Sec-WebSocket-Version"))
        guard head.statusCode >= 400, !versions.isEmpty, !versions.contains(Self.version) else {
            return .status(head.statusCode)
        }
        return .version(versions.joined(separator: ", "))
    }

    /// The value of a field that a response has at most once (§11.3.3, §11.3.4); nil if missing.
    private func single(
        _ name: String,
        in fields: HeaderFields
    ) throws(HandshakeRefusal) -> String? {
        let values = fields.values(of: name)
        guard values.count <= 1 else { throw .repeatedField(name) }
        return values.first
    }

    /// The members of a list that may be spread over several field lines (RFC 9110 §5.6.1).
    private static func members(of values: [String]) -> [String] {
        values.flatMap { $0.splitAtBytes(",") }.compactMap { member in
            let trimmed = member.utf8.withoutOuterBlanks
            return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
        }
    }
}

extension String {
    /// Whether both are equal, ignoring the case of ASCII letters.
    fileprivate func isEqualIgnoringCase(_ other: String) -> Bool {
        utf8.span.isEqualIgnoringCase(other.utf8.span)
    }
}
