internal import WebSockets

/// The messages that have arrived and that no step has taken, oldest first.
struct MessageInbox {
    private var messages: [ReceivedMessage?] = []
    /// The index of the oldest message.
    private var start = 0
    private var byteCount = 0
    private let limit: Int

    /// The size of a message in memory beside its bytes.
    private static let overhead = 128

    /// Creates an inbox that is full with so many bytes.
    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { start == messages.count }

    /// Whether no more bytes should be read until a step takes messages.
    var isFull: Bool { byteCount >= limit }

    mutating func append(_ message: ReceivedMessage) {
        byteCount += message.message.bytes.count + Self.overhead
        messages.append(message)
    }

    /// The oldest message; nil for none.
    mutating func take() -> ReceivedMessage? {
        guard start < messages.count, let message = messages[start] else { return nil }
        messages[start] = nil
        start += 1
        byteCount -= message.message.bytes.count + Self.overhead
        // Half of the array at most is empty places.
        if start * 2 >= messages.count {
            messages.removeFirst(start)
            start = 0
        }
        return message
    }

    mutating func removeAll() {
        messages = []
        start = 0
        byteCount = 0
    }
}
