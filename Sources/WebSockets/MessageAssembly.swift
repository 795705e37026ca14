internal import SystemKit

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
