/// The report's facts about a WebSocket conversation.
///
/// A class, because few tasks have it and records are passed on often.
package final class WebSocketRecord: Sendable, Hashable {
    /// One step that has begun.
    package struct Step: Sendable, Hashable {
        /// How a step ended.
        package enum Outcome: String, Sendable, Hashable, CaseIterable {
            case succeeded
            case failed
        }

        /// The key of the step in the job file.
        package var name: WebSocketStep.Name
        /// When the step began, by the run's clock.
        package var startDate: Timestamp
        /// When the step ended, by the run's clock.
        package var endDate: Timestamp
        /// How the step ended.
        package var outcome: Outcome
        /// The messages that the step has sent or taken.
        package var messageCount: Int
        /// The bytes of those messages.
        package var byteCount: Int64
        /// The code of a Close frame that the step has sent or received; nil for none.
        package var closeCode: Int?

        /// Creates the record of a step.
        package init(
            _ name: WebSocketStep.Name,
            from startDate: Timestamp,
            to endDate: Timestamp,
            _ outcome: Outcome,
            messageCount: Int,
            byteCount: Int64,
            closeCode: Int? = nil
        ) {
            self.name = name
            self.startDate = startDate
            self.endDate = endDate
            self.outcome = outcome
            self.messageCount = messageCount
            self.byteCount = byteCount
            self.closeCode = closeCode
        }
    }

    /// The subprotocol that the server chose; nil for none.
    package let subprotocol: String?
    /// The code of the server's Close frame, as `URLSessionWebSocketTask.closeCode`: 1005 for a
    /// frame without code, 1006 without a frame; nil without a connection.
    package let closeCode: Int?
    /// The reason of the server's Close frame; empty for none.
    package let closeReason: String
    /// Whether both sides have sent a Close frame (RFC 6455 §7.1.4).
    package let isClean: Bool
    /// The messages that were sent.
    package let sentMessageCount: Int
    /// The messages that arrived, including those that no step has taken.
    package let receivedMessageCount: Int
    /// The pings that the server sent, all of which were answered.
    package let receivedPingCount: Int
    /// The steps that have begun, in order.
    package let steps: [Step]

    /// Creates the record of a conversation.
    package init(
        subprotocol: String?,
        closeCode: Int?,
        closeReason: String = "",
        isClean: Bool,
        sentMessageCount: Int = 0,
        receivedMessageCount: Int = 0,
        receivedPingCount: Int = 0,
        steps: [Step]
    ) {
        self.subprotocol = subprotocol
        self.closeCode = closeCode
        self.closeReason = closeReason
        self.isClean = isClean
        self.sentMessageCount = sentMessageCount
        self.receivedMessageCount = receivedMessageCount
        self.receivedPingCount = receivedPingCount
        self.steps = steps
    }

    private var identity: [AnyHashable] {
        [
            subprotocol, closeCode, closeReason, isClean, sentMessageCount, receivedMessageCount,
            receivedPingCount, steps,
        ]
    }

    /// Whether both describe the same conversation.
    package static func == (left: WebSocketRecord, right: WebSocketRecord) -> Bool {
        left.identity == right.identity
    }

    /// Hashes the identity, the only property that `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
