/// The client's pings that have no answer yet, oldest first (RFC 6455 §5.5.2, §5.5.3).
struct UnansweredPings: Sendable {
    private var payloads: [[UInt8]] = []

    /// The most pings that are remembered.
    static let limit = 64

    /// The number of pings without an answer.
    var count: Int { payloads.count }

    /// Remembers a ping that is sent.
    mutating func append(_ payload: [UInt8]) throws(SendRefusal) {
        guard payloads.count < Self.limit else { throw .manyPings(payloads.count) }
        payloads.append(payload)
    }

    /// Takes a pong's payload and returns how many pings it answers.
    ///
    /// A server that got several pings may answer only the latest, so a pong answers the oldest
    /// ping with its payload and every ping before that one. An unsolicited pong answers none.
    mutating func answer(_ payload: [UInt8]) -> Int {
        guard let index = payloads.firstIndex(of: payload) else { return 0 }
        payloads.removeFirst(index + 1)
        return index + 1
    }
}
