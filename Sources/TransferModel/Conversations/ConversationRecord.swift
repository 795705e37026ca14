/// The report's facts about a conversation.
///
/// Indirect, because few tasks have it and records are passed on often.
package indirect enum ConversationRecord: Sendable, Hashable {
    case stream(StreamRecord)
    case webSocket(WebSocketRecord)

    /// The record of a stream; nil for a WebSocket.
    package var stream: StreamRecord? {
        if case .stream(let record) = self { record } else { nil }
    }

    /// The record of a WebSocket; nil for a stream.
    package var webSocket: WebSocketRecord? {
        if case .webSocket(let record) = self { record } else { nil }
    }
}

/// The report's facts about a stream's conversation.
package struct StreamRecord: Sendable, Hashable {
    /// The steps that have begun, in order; of many only the first ones.
    package var steps: [StepRecord<StreamStep.Name>]
    /// The number of later steps, which have no record.
    package var omittedSteps: Int
    /// Whether the peer has said that it sends no more.
    package var isClosedByPeer: Bool

    /// The most steps with a record.
    package static let mostSteps = 1000

    /// Creates the record of a conversation.
    package init(
        steps: [StepRecord<StreamStep.Name>],
        omittedSteps: Int = 0,
        isClosedByPeer: Bool
    ) {
        self.steps = steps
        self.omittedSteps = omittedSteps
        self.isClosedByPeer = isClosedByPeer
    }
}

/// The report's facts about a WebSocket conversation.
package struct WebSocketRecord: Sendable, Hashable {
    /// The subprotocol that the server chose; nil for none.
    package var subprotocol: String?
    /// The code of the server's Close frame, as `URLSessionWebSocketTask.closeCode`: 1005 for a
    /// frame without code, 1006 without a frame; nil without a connection.
    package var closeCode: Int?
    /// The reason of the server's Close frame; empty for none.
    package var closeReason = ""
    /// Whether both sides have sent a Close frame (RFC 6455 §7.1.4).
    package var isClean: Bool
    /// The messages that were sent.
    package var sentMessageCount = 0
    /// The messages that arrived, including those that no step has taken.
    package var receivedMessageCount = 0
    /// The pings that the server sent, all of which were answered.
    package var receivedPingCount = 0
    /// The steps that have begun, in order.
    package var steps: [StepRecord<WebSocketStep.Name>]

    /// Creates the record of a conversation.
    package init(
        subprotocol: String?,
        closeCode: Int?,
        isClean: Bool,
        steps: [StepRecord<WebSocketStep.Name>]
    ) {
        self.subprotocol = subprotocol
        self.closeCode = closeCode
        self.isClean = isClean
        self.steps = steps
    }
}
