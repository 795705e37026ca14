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
