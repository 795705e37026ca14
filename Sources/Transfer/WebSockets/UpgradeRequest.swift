internal import CurlKit
internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The request that opens a WebSocket, and the check of its response (RFC 6455 §4.1).
///
/// A value: each connection needs a new one, because its key is used once.
struct UpgradeRequest {
    private let handshake: OpeningHandshake
    /// The bytes of the request.
    let head: [UInt8]

    /// Makes a request that offers the subprotocols.
    ///
    /// - Parameters:
    ///   - wanted: The request, its fields and its login.
    ///   - subprotocols: The offered subprotocols, preferred ones first.
    init(_ wanted: UpgradeSpec, subprotocols: [String]) {
        let url = wanted.request.url
        handshake = Self.handshake(with: wanted.request.host, subprotocols)
        var text = "GET \(url.requestTarget) HTTP/1.1\r\n"
        let fields = handshake.requestFields
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        for line in wanted.lines where !fields.contains(where: { line.isLine(of: $0.name) }) {
            // libcurl's mark of a field without a value.
            text +=
                (line.hasByteSuffix(";") && !line.containsBytes(":")
                    ? line.dropLast() + ":" : line[...])
            text += "\r\n"
        }
        if let authorization = wanted.authorization {
            text += "Authorization: \(authorization)\r\n"
        }
        head = Array((text + "\r\n").utf8)
    }

    /// A handshake with a new key; the plan has only subprotocols that may be offered.
    private static func handshake(with host: String, _ subprotocols: [String]) -> OpeningHandshake {
        var generator = SystemRandomNumberGenerator()
        do throws(SubprotocolFault) {
            return try OpeningHandshake(host: host, subprotocols: subprotocols, using: &generator)
        } catch {
            return handshake(with: host, [])
        }
    }

    /// The subprotocol that the response chose; nil for none.
    func check(_ head: ResponseHead) throws(HandshakeRefusal) -> String? {
        try handshake.check(head)
    }
}

extension TransferURL {
    /// The URL to which an opening handshake is redirected by a `Location`, which may have the
    /// schemes of WebSockets; nil for one that is no URL.
    func webSocketTarget(_ location: String) -> String? {
        for (scheme, other) in [("wss://", "https://"), ("ws://", "http://")]
        where location.prefix(scheme.count).lowercased() == scheme {
            return other + location.dropFirst(scheme.count)
        }
        return resolving(location)?.text
    }
}

extension Authentication {
    /// The value of `Authorization` for a request that the runner sends itself.
    ///
    /// - Parameter request: The request with all its other fields.
    /// - Returns: Nil without a credential, and for Digest before the server has asked.
    func fieldValue(for request: RequestSpec) -> String? {
        switch easy {
        case .basic(let user, let password):
            return "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
        case .bearer(let token): return "Bearer " + token
        case .digest(let user, let password):
            guard let digestChallenge else { return nil }
            return DigestAnswer(
                digestChallenge,
                user: user,
                password: password,
                clientNonce: DigestAnswer.newNonce()
            )?.fieldValue(method: request.method, target: request.url.requestTarget)
        case .awaited, .ntlm, .negotiate, nil: return nil
        }
    }
}

extension String {
    /// Whether the line is a field of that name.
    fileprivate func isLine(of name: String) -> Bool {
        let end = utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
        guard let end else { return false }
        return self[..<end].lowercased() == name.lowercased()
    }
}
