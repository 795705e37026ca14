internal import TransferModel

/// How far the running step of a WebSocket conversation has come.
struct StepProgress {
    /// When the step began.
    let start: MonotonicTime
    /// The messages that the step has sent or taken.
    var messageCount = 0
    /// The bytes of those messages.
    var byteCount: Int64 = 0
    /// The position in the file of the message that is being sent.
    var fileOffset: Int64 = 0
    /// Whether the server has answered the step's ping.
    var isAnswered = false
    /// The last message that the step took and that met its conditions; only if it has captures.
    var last: ReceivedMessage?
    /// The code of a Close frame that the step has sent or received.
    var closeCode: Int?

    /// The most bytes of a frame beside its payload.
    static let frameSize = 14

    init(at start: MonotonicTime) {
        self.start = start
    }

    mutating func count(_ bytes: Int) {
        messageCount += 1
        byteCount += Int64(bytes)
    }

    /// The record of the step.
    func record(
        _ name: WebSocketStep.Name,
        _ outcome: WebSocketRecord.Step.Outcome,
        to end: MonotonicTime,
        _ clock: RunClock
    ) -> WebSocketRecord.Step {
        WebSocketRecord.Step(
            name,
            from: clock.timestamp(of: start),
            to: clock.timestamp(of: end),
            outcome,
            messageCount: messageCount,
            byteCount: byteCount,
            closeCode: closeCode
        )
    }
}
