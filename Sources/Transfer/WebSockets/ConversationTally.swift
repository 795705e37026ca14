internal import TransferModel
internal import WebSockets

/// The counts of a WebSocket conversation, for its record.
struct ConversationTally {
    var steps: [WebSocketRecord.Step] = []
    private(set) var receivedMessages = 0
    private(set) var receivedBytes: Int64 = 0
    var receivedPings = 0
    var sentMessages = 0
    var sentBytes: Int64 = 0
    /// The server's Close frame; nil before it has arrived.
    var closing: Closing?
    /// The rule of the protocol that the server has broken; nil for none.
    var fault: WebSockets.ProtocolFault?
    /// The end of the connection; nil before it has ended.
    var end: ConnectionEnd?

    mutating func didReceive(_ count: Int) {
        receivedMessages += 1
        receivedBytes += Int64(count)
    }

    func record(subprotocol: String?) -> WebSocketRecord {
        let code = closing.map { $0.code ?? .noStatusReceived } ?? .abnormalClosure
        return WebSocketRecord(
            subprotocol: subprotocol,
            closeCode: Int(code.rawValue),
            closeReason: closing?.reason ?? "",
            // The client always answers, or has closed first.
            isClean: closing != nil,
            sentMessageCount: sentMessages,
            receivedMessageCount: receivedMessages,
            receivedPingCount: receivedPings,
            steps: steps
        )
    }
}
