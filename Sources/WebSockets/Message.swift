/// One message of a WebSocket connection (RFC 6455 §5.6).
package struct Message: Sendable, Hashable {
    /// The form of a message's bytes (§5.6).
    package enum Kind: Sendable, Hashable {
        /// UTF-8.
        case text
        /// Any bytes.
        case binary
    }

    /// The form of the bytes.
    package let kind: Kind
    /// The bytes of all fragments; valid UTF-8 for text.
    package let bytes: [UInt8]

    /// A text message.
    package init(text: String) {
        kind = .text
        bytes = Array(text.utf8)
    }

    /// A binary message.
    package init(binary bytes: [UInt8]) {
        kind = .binary
        self.bytes = bytes
    }

    /// A message whose bytes are checked.
    init(kind: Kind, checked bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// The text of a text message; nil for a binary one.
    package var text: String? {
        kind == .text ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
