internal import TransferModel

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
