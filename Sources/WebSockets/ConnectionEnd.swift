/// How a connection has ended (RFC 6455 §7.1.4 to §7.1.6).
package struct ConnectionEnd: Sendable, Hashable {
    /// The code of the server's Close frame; 1005 if the frame had none, 1006 without a frame.
    package var code: CloseCode
    /// The reason of the server's Close frame, otherwise empty.
    package var reason: String
    /// Whether both sides had sent a Close frame (§7.1.4).
    package var isClean: Bool
    /// Whether a message or frame had begun and not ended.
    package var isInsideMessage: Bool

    /// Creates the values of an end.
    package init(code: CloseCode, reason: String, isClean: Bool, isInsideMessage: Bool) {
        self.code = code
        self.reason = reason
        self.isClean = isClean
        self.isInsideMessage = isInsideMessage
    }
}
