internal import SystemKit

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

/// The progress of a message that the client sends in fragments (RFC 6455 §5.4).
struct MessageSending: Sendable {
    /// The kind of the message whose last fragment was not sent.
    private var kind: Message.Kind?
    private var text = UTF8Progress()

    /// Whether a message has begun and not ended.
    var isInsideMessage: Bool { kind != nil }

    /// Checks the next fragment and returns the opcode of its frame; a refused one changes nothing.
    mutating func take(
        _ fragment: Span<UInt8>,
        of kind: Message.Kind,
        isFinal: Bool
    ) throws(SendRefusal) -> Opcode {
        guard self.kind == nil || self.kind == kind else { throw .messageIsUnfinished }
        var text = text
        if kind == .text {
            guard text.firstFault(in: fragment) == nil, text.isComplete || !isFinal else {
                throw .textNotUTF8
            }
        }
        let opcode: Opcode =
            self.kind != nil ? .continuation : kind == .text ? .text : .binary
        self.kind = isFinal ? nil : kind
        self.text = text
        return opcode
    }
}

/// Joins the fragments of messages (RFC 6455 §5.4) and checks text while it arrives (§8.1).
///
/// Memory grows with the bytes that have arrived, never with an announced length.
struct MessageAssembly: Sendable {
    /// The most bytes of a message, over all fragments.
    let maximumSize: Int
    /// The kind of the message whose last fragment has not ended.
    private var kind: Message.Kind?
    private var bytes: [UInt8] = []
    private var text = UTF8Progress()

    /// The most bytes that a message reserves before they arrive.
    private static let largestReserve = 64 << 10

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Whether a message has begun and not ended.
    var isInsideMessage: Bool { kind != nil }

    /// Bytes of the message that has begun.
    var heldByteCount: Int { bytes.count }

    /// Begins a data frame: a new message or one more fragment.
    mutating func begin(_ header: FrameHeader) throws(ProtocolFault) {
        if header.opcode == .continuation {
            guard isInsideMessage else { throw .continuationWithoutMessage }
        } else {
            guard !isInsideMessage else { throw .messageInsideMessage }
            kind = header.opcode == .text ? .text : .binary
        }
        guard header.payloadLength <= maximumSize - bytes.count else {
            throw .messageTooLarge(limit: maximumSize)
        }
        // Further fragments let the array grow by doubling.
        if bytes.isEmpty {
            bytes.reserveCapacity(min(header.payloadLength, Self.largestReserve))
        }
    }

    /// Adds payload of the frame.
    mutating func append(_ payload: Span<UInt8>) throws(ProtocolFault) {
        if kind == .text, let index = text.firstFault(in: payload) {
            throw .textNotUTF8(at: bytes.count + index)
        }
        bytes.append(payload)
    }

    /// Ends the message with the last frame's last byte.
    mutating func finish() throws(ProtocolFault) -> Message? {
        guard let kind else { return nil }
        guard text.isComplete else { throw .textNotUTF8(at: bytes.count) }
        let message = Message(kind: kind, checked: bytes)
        clear()
        return message
    }

    /// Forgets the message that has begun.
    mutating func clear() {
        kind = nil
        bytes = []
        text = UTF8Progress()
    }
}
