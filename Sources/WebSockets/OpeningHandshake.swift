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
    /// Returns the subprotocol that the server chose; nil for none. The bytes after the head
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

/// A list of subprotocols that no opening handshake may ask for (RFC 6455 §4.1 item 10).
package enum SubprotocolFault: Error, Sendable, Hashable {
    /// The name is no token (RFC 9110 §5.6.2).
    case notAToken(String)
    /// The list has the name twice; names differ in case.
    case repeated(String)

    /// The fault as a sentence for a diagnostic.
    package var message: String {
        switch self {
        case .notAToken(let name): "the subprotocol “\(name)” is not a token (RFC 9110 §5.6.2)"
        case .repeated(let name): "the subprotocol “\(name)” is listed twice"
        }
    }
}

/// The reason for which a response does not open a WebSocket connection (RFC 6455 §4.1).
///
/// Names of fields are as in the RFC; other texts are the server's.
package enum HandshakeRefusal: Error, Sendable, Hashable {
    /// The server answered another status than 101.
    case status(Int)
    /// The server speaks these versions of the protocol, not 13 (§4.4).
    case version(String)
    /// A field that opens the connection is missing.
    case missingField(String)
    /// A field that a response has at most once (§11.3.3, §11.3.4) has several lines.
    case repeatedField(String)
    /// `Upgrade` is not `websocket`.
    case wrongUpgrade(String)
    /// `Connection` does not list `Upgrade`.
    case wrongConnection(String)
    /// `Sec-WebSocket-Accept` does not belong to the request's key.
    case wrongAccept(String)
    /// The server uses an extension that the request did not ask for.
    case unknownExtension(String)
    /// The server chose a subprotocol that the request did not ask for.
    case unknownSubprotocol(String)

    /// The refusal as a sentence for a failure; it quotes up to 100 characters of the server's text
    /// on one line.
    package var message: String {
        switch self {
        case .status(let status): "the server answered \(status) instead of 101"
        case .version(let list):
            "the server speaks version \(Self.shown(list)) of the WebSocket protocol, not 13"
        case .missingField(let name): "the response with status 101 has no \(name)"
        case .repeatedField(let name): "the response with status 101 has several \(name)"
        case .wrongUpgrade(let value): "Upgrade is “\(Self.shown(value))”, not “websocket”"
        case .wrongConnection(let value):
            "Connection is “\(Self.shown(value))”, which does not list “Upgrade”"
        case .wrongAccept(let value):
            "Sec-WebSocket-Accept is “\(Self.shown(value))”, which does not belong to the request"
        case .unknownExtension(let name):
            "the server uses the extension “\(Self.shown(name))”, which was not asked for"
        case .unknownSubprotocol(let name):
            "the server chose the subprotocol “\(Self.shown(name))”, which was not asked for"
        }
    }

    private static func shown(_ text: String) -> String {
        let (text, isWhole) = text.onOneLine(limit: 100)
        return isWhole ? text : text + "…"
    }
}
