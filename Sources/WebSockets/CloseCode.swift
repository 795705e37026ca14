/// A status code of a closed connection (RFC 6455 §7.4 and IANA's registry of close codes).
package struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number, usually 1000 to 4999.
    package var rawValue: UInt16

    /// Takes any number.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The connection has served its purpose.
    package static let normalClosure = CloseCode(rawValue: 1000)
    /// The peer goes away, for example because the server stops.
    package static let goingAway = CloseCode(rawValue: 1001)
    /// The peer has broken the protocol.
    package static let protocolError = CloseCode(rawValue: 1002)
    /// The Close frame had no code; never in a frame.
    package static let noStatusReceived = CloseCode(rawValue: 1005)
    /// The connection ended without a Close frame; never in a frame.
    package static let abnormalClosure = CloseCode(rawValue: 1006)
    /// A message's bytes do not have the form of its kind, for example text that is not UTF-8.
    package static let invalidPayload = CloseCode(rawValue: 1007)
    /// A message is too large for the peer.
    package static let messageTooLarge = CloseCode(rawValue: 1009)

    /// Whether a Close frame may have this code, sent or received (§7.4.1, §7.4.2).
    ///
    /// | codes | allowed |
    /// | --- | --- |
    /// | 0–999 | no: unused |
    /// | 1000–1003, 1007–1011 | yes: RFC 6455 |
    /// | 1012–1014 | yes: registered with IANA |
    /// | 1004, 1005, 1006, 1015 | no: reserved |
    /// | 1016–2999 | no: for later versions of the protocol |
    /// | 3000–3999 | yes: registered for libraries |
    /// | 4000–4999 | yes: for private agreements |
    /// | 5000–65535 | no: undefined |
    package var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
