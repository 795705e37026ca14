import TransferModel

@testable import Transfer

/// Runs a segment machine against servers that exist only as numbers, in a time of its own.
struct SegmentSimulation {
    /// A server, and its faults.
    struct Server {
        /// Bytes per second of one connection.
        var connectionRate: Double
        /// Bytes per second of all its connections.
        var rate = Double.infinity
        /// Seconds between a request and the first byte.
        var latency = 0.02
        var limit = 64
        /// It refuses further connections.
        var accepts = 64
        /// It sends nothing more from that second on.
        var silentFrom = Double.infinity
        /// A response ends after so many bytes.
        var cutsAfter = Int64.max
        /// It sends at most so many bytes of a range, and says so.
        var partLength = Int64.max
        /// Its answer to a range; nil for the range.
        var answer: SegmentAnswer?
    }

    private struct Connection {
        let server: Int
        let range: Range<Int64>
        var answerTime: Double
        var sent: Int64 = 0
        var credit = 0.0
    }

    private static let tick = 0.005

    var machine: SegmentMachine
    var servers: [Server]
    private var connections: [Int: Connection] = [:]
    private(set) var seconds = 0.0
    /// The bytes that the servers sent.
    private(set) var sentCount: Int64 = 0
    /// The bytes written to the file, and whether none was written twice.
    private(set) var written = ByteRangeSet()
    private(set) var isWrittenOnce = true
    private(set) var requestCount = 0
    private(set) var mostConnections = 0

    init(
        total: Int64,
        present: ByteRangeSet = ByteRangeSet(),
        _ servers: [Server],
        _ limit: SegmentGrowth.Limit,
        adopts: Bool = false
    ) {
        self.servers = servers
        machine = SegmentMachine(
            total: total,
            present: present,
            sources: servers.map { SegmentSource(limit: $0.limit) },
            limit
        )
        written = present
        guard adopts else { return }
        let number = machine.adopt(source: 0, after: .seconds(servers[0].latency), at: now)
        requestCount = 1
        connections[number] = Connection(server: 0, range: 0..<total, answerTime: 0)
        connections[number]?.credit = 1
        adopted = number
    }

    private var adopted: Int?

    private var now: MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Runs until the machine ends or that many seconds have passed; nil when it has not ended.
    mutating func run(until limit: Double = 600) -> SegmentMachine.Outcome? {
        while seconds < limit {
            while let step = machine.step(at: now) {
                switch step {
                case .request(let lane, let source, let range):
                    begin(lane, source, range)
                case .cancel(let lane): connections[lane] = nil
                case .end(let outcome): return outcome
                }
            }
            seconds += Self.tick
            for number in connections.keys.sorted() { advance(number) }
        }
        return nil
    }

    private mutating func begin(_ lane: Int, _ source: Int, _ range: Range<Int64>) {
        requestCount += 1
        let start = seconds + servers[source].latency
        connections[lane] = Connection(server: source, range: range, answerTime: start)
        mostConnections = max(mostConnections, connections.count)
    }

    private mutating func advance(_ number: Int) {
        guard var connection = connections[number], seconds >= connection.answerTime else { return }
        let server = servers[connection.server]
        if connection.credit == 0, number != adopted {
            let others = connections.values.count {
                $0.server == connection.server && $0.credit > 0
            }
            let answer = others >= server.accepts ? .refusal : server.answer
            let length = min(connection.range.length, server.partLength)
            let end = connection.range.lowerBound + length
            connection = Connection(
                server: connection.server,
                range: connection.range.lowerBound..<end,
                answerTime: connection.answerTime
            )
            machine.didAnswer(number, answer ?? .part(end: end), at: now)
            if answer != nil {
                connections[number] = nil
                return machine.didEnd(number, at: now)
            }
        }
        let active = connections.values.count {
            $0.server == connection.server && $0.answerTime <= seconds
        }
        guard seconds < server.silentFrom else {
            connection.credit = max(connection.credit, 0.001)
            connections[number] = connection
            return
        }
        let rate = min(server.connectionRate, server.rate / Double(max(1, active)))
        connection.credit += rate * Self.tick
        let rest = min(connection.range.length, server.cutsAfter) - connection.sent
        let count = min(Int64(connection.credit), rest)
        connection.credit -= Double(count)
        connection.credit = max(connection.credit, 0.001)
        connection.sent += count
        sentCount += count
        connections[number] = connection
        deliver(count, number, isOver: count == rest)
    }

    private mutating func deliver(_ count: Int64, _ number: Int, isOver: Bool) {
        guard let offset = machine.offset(of: number) else { return connections[number] = nil }
        let taken = Int64(machine.take(Int(count), of: number, at: now))
        if taken > 0 {
            let range = offset..<(offset + taken)
            if written.missing(in: range) != [range] { isWrittenOnce = false }
            written.insert(range)
        }
        guard isOver || machine.isSatisfied(number) else { return }
        connections[number] = nil
        machine.didEnd(number, at: now)
    }
}
