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
