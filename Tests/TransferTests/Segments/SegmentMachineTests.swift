import Testing
import TransferModel

@testable import Transfer

/// The distribution of a file over connections, against servers of different speed.
@Suite struct SegmentMachineTests {
    private typealias Server = SegmentSimulation.Server

    private static let mebibyte = 1024.0 * 1024
    private static let total: Int64 = 64 << 20

    private static func server(_ rate: Double) -> Server { Server(connectionRate: rate * mebibyte) }

    @Test(arguments: [1, 2, 3, 5, 8, 16])
    func `each connection of a server with a limit for one adds its speed`(count: Int) {
        var simulation = SegmentSimulation(
            total: Self.total,
            [Self.server(4)],
            .fixed(count),
            adopts: true
        )
        #expect(simulation.run() == .complete)
        #expect(simulation.written == ByteRangeSet([0..<Self.total]))
        #expect(simulation.isWrittenOnce)
        #expect(simulation.seconds <= 16 / Double(count) * 1.1 + 0.1)
        #expect(simulation.sentCount <= Self.total + Self.total / 50)
    }

    @Test func `four mirrors send together nearly at the sum of their speeds`() {
        for order in [[1.0, 2, 4, 8], [8, 4, 2, 1], [4, 1, 8, 2]] {
            var simulation = SegmentSimulation(
                total: Self.total,
                order.map {
                    Server(connectionRate: $0 * Self.mebibyte, rate: $0 * Self.mebibyte)
                },
                .fixed(4),
                adopts: true
            )
            #expect(simulation.run() == .complete)
            #expect(simulation.isWrittenOnce)
            #expect(64.0 / simulation.seconds >= 15 * 0.9)
        }
    }

    @Test(arguments: 0..<200)
    func `servers of any speed, latency and limit end a whole file together`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let servers = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            Server(
                connectionRate: Double.random(in: 0.2...20, using: &random) * Self.mebibyte,
                rate: Double.random(in: 1...40, using: &random) * Self.mebibyte,
                latency: Double.random(in: 0.001...0.3, using: &random),
                limit: Int.random(in: 1...8, using: &random),
                accepts: Int.random(in: 1...8, using: &random)
            )
        }
        let count = Int.random(in: 1...16, using: &random)
        var simulation = SegmentSimulation(
            total: Self.total + Int64.random(in: 0...99_999, using: &random),
            servers,
            .fixed(count),
            adopts: Bool.random(using: &random)
        )
        #expect(simulation.run() == .complete)
        #expect(simulation.written == ByteRangeSet([0..<simulation.machine.total]))
        #expect(simulation.isWrittenOnce)
        #expect(simulation.mostConnections <= count)
        #expect(Double(simulation.sentCount) <= Double(Self.total) * 1.1)
    }

    @Test func `a server that falls silent does not hold up the file`() {
        var silent = Self.server(4)
        silent.silentFrom = 1
        var simulation = SegmentSimulation(
            total: Self.total,
            [Self.server(8), silent, Self.server(4)],
            .fixed(3),
            adopts: true
        )
        #expect(simulation.run() == .complete)
        #expect(simulation.written == ByteRangeSet([0..<Self.total]))
        // Without that server it takes 5.3 s.
        #expect(simulation.seconds < 6.5)
    }

    @Test func `a very slow mirror does not hold up the file`() {
        var simulation = SegmentSimulation(
            total: 16 << 20,
            [Self.server(8), Self.server(0.01)],
            .fixed(2),
            adopts: true
        )
        #expect(simulation.run() == .complete)
        #expect(simulation.seconds < 2.7)
    }

    @Test func `a refused connection leaves its bytes to the accepted ones`() {
        var server = Self.server(4)
        server.accepts = 3
        var simulation = SegmentSimulation(total: Self.total, [server], .fixed(16), adopts: true)
        #expect(simulation.run() == .complete)
        #expect(simulation.seconds < 6.5)
        #expect(simulation.requestCount < 60)
    }

    @Test func `a cut response is continued where it ended`() {
        var server = Self.server(4)
        server.cutsAfter = 1_000_003
        var simulation = SegmentSimulation(total: Self.total, [server], .fixed(4))
        #expect(simulation.run() == .complete)
        #expect(simulation.written == ByteRangeSet([0..<Self.total]))
        #expect(simulation.isWrittenOnce)
    }

    @Test func `a server whose responses bring nothing is asked a limited number of times`() {
        var server = Self.server(4)
        server.cutsAfter = 1000
        var simulation = SegmentSimulation(total: Self.total, [server], .fixed(8))
        #expect(simulation.run() == .incomplete)
        #expect(simulation.requestCount < 30)
        #expect(simulation.machine.received == simulation.written)
    }

    @Test func `a server that sends tiny parts is asked a limited number of times`() {
        var server = Self.server(4)
        server.partLength = 1000
        var simulation = SegmentSimulation(total: Self.total, [server], .fixed(8))
        #expect(simulation.run() == .incomplete)
        #expect(simulation.requestCount < 30)
    }

    @Test func `any number of segments and any length is accepted`() {
        for total in [0, 1, SegmentMachine.leastPiece, .max] as [Int64] {
            for count in [-1, 0, 1, .max] {
                var simulation = SegmentSimulation(
                    total: total,
                    [Server(connectionRate: Self.mebibyte, limit: count)],
                    .fixed(count)
                )
                let outcome = simulation.run(until: 1)
                #expect((outcome == .complete) == (total <= SegmentMachine.leastPiece))
            }
        }
        var machine = SegmentMachine(total: 1, sources: [], .measured)
        #expect(machine.step(at: MonotonicTime(nanoseconds: 0)) == .end(.incomplete))
    }

    @Test(arguments: 0..<100)
    func `events in any order leave every received byte received`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let sources = (0..<3).map { SegmentSource(limit: $0 + 1) }
        var machine = SegmentMachine(total: 4 << 20, sources: sources, .fixed(4))
        var received = ByteRangeSet()
        var time = MonotonicTime(nanoseconds: 0)
        var outcome: SegmentMachine.Outcome?
        for _ in 0..<300 {
            time = time + .milliseconds(Int.random(in: 0...800, using: &random))
            let number = Int.random(in: 0...20, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: machine.didEnd(number, at: time)
            case 1: machine.didAnswer(number, .refusal, at: time)
            case 2...3:
                guard let offset = machine.offset(of: number) else { break }
                let taken = machine.take(100_000, of: number, at: time)
                received.insert(offset..<(offset + Int64(taken)))
            default:
                let step = machine.step(at: time)
                if case .end(let end)? = step { outcome = end }
                guard case .request(let lane, _, let range)? = step else { break }
                #expect(outcome == nil)
                #expect(received.missing(in: range) == [range])
                machine.didAnswer(lane, .part(end: range.upperBound), at: time)
            }
            #expect(machine.received == received)
        }
        let isWhole = received == ByteRangeSet([0..<machine.total])
        #expect(isWhole || outcome != .complete)
    }

    @Test func `two hundred kills fetch hardly more than the file`() {
        var random = SplitMix(seed: 7)
        var present = ByteRangeSet()
        var sent: Int64 = 0
        let servers = [Self.server(1), Self.server(2), Self.server(4), Self.server(8)]
        for _ in 0..<200 {
            var simulation = SegmentSimulation(
                total: 1 << 30,
                present: present,
                servers,
                .fixed(8)
            )
            let end = simulation.run(until: Double.random(in: 0.05...0.4, using: &random))
            sent += simulation.sentCount
            #expect(simulation.isWrittenOnce)
            present = simulation.machine.received
            #expect(present == simulation.written)
            if end == .complete { break }
        }
        #expect(Double(sent) <= Double(present.count) * 1.1)
    }

    @Test func `a server that ignores ranges sends the whole file over its first connection`() {
        var server = Self.server(8)
        server.answer = .unusable("the status 200")
        var simulation = SegmentSimulation(total: Self.total, [server], .fixed(8), adopts: true)
        #expect(simulation.run() == .complete)
        #expect(simulation.isWrittenOnce)
        #expect(simulation.sentCount == Self.total)
        #expect(simulation.seconds < 8.2)
    }

    @Test(arguments: [SegmentAnswer.unusable("the status 416"), .refusal])
    func `nothing of a mirror without the file's ranges is used`(answer: SegmentAnswer) {
        var mirror = Self.server(100)
        mirror.answer = answer
        var simulation = SegmentSimulation(
            total: Self.total,
            [Self.server(8), mirror],
            .fixed(4),
            adopts: true
        )
        #expect(simulation.run() == .complete)
        #expect(simulation.isWrittenOnce)
        #expect(simulation.sentCount <= Self.total + Self.total / 50)
    }

    @Test(arguments: [true, false])
    func `an answer that is no part costs a server its connections only before its first part`(
        comesFirst: Bool
    ) {
        let now = MonotonicTime(nanoseconds: 0)
        var machine = SegmentMachine(total: 4 << 20, sources: [SegmentSource(limit: 4)], .fixed(4))
        let main = machine.adopt(source: 0, at: now)
        var requests: [Int] = []
        while case .request(let lane, _, _)? = machine.step(at: now) { requests.append(lane) }
        #expect(requests.count == 3)
        if !comesFirst { machine.didAnswer(requests[0], .part(end: 2 << 20), at: now) }
        machine.didAnswer(requests[1], .unusable("the status 416"), at: now)
        #expect(machine.isClosed(0) == comesFirst)
        // Without a part, the first connection goes on to the end of the file.
        let wanted = machine.claim(4 << 20, for: main)
        #expect(wanted == (comesFirst ? 4 : 1) << 20)
        #expect(machine.source(of: requests[2]) == (comesFirst ? nil : 0))
    }

    @Test func `a machine without a turn for its request waits and does not end`() {
        var now = MonotonicTime(nanoseconds: 0)
        var machine = SegmentMachine(total: 4 << 20, sources: [SegmentSource(limit: 4)], .fixed(4))
        #expect(machine.step(at: now, takesTurn: { false }) == nil)
        #expect(machine.nextCheck == now + .milliseconds(100))
        now = now + .seconds(1)
        #expect(machine.step(at: now) != nil)
    }

    @Test func `a response goes on into the gap behind its share while no request may leave`() {
        let now = MonotonicTime(nanoseconds: 0)
        let mebibyte: Int64 = 1 << 20
        var machine = SegmentMachine(
            total: 64 * mebibyte,
            present: ByteRangeSet([32 * mebibyte..<33 * mebibyte]),
            sources: [SegmentSource(limit: 4)],
            .fixed(4)
        )
        let main = machine.adopt(source: 0, at: now)
        var count: Int64 = 0
        while !machine.isSatisfied(main), count < 64 * mebibyte {
            #expect(machine.step(at: now, takesTurn: { false }) == nil)
            count += Int64(machine.take(1 << 20, of: main, at: now))
        }
        #expect(count == 32 * mebibyte)
        #expect(machine.prefix == 33 * mebibyte)
    }

    @Test func `a turn is taken only for a request that leaves`() {
        let now = MonotonicTime(nanoseconds: 0)
        var machine = SegmentMachine(total: 1 << 20, sources: [SegmentSource(limit: 4)], .fixed(4))
        let main = machine.adopt(source: 0, at: now)
        var turns = 0
        func takesTurn() -> Bool {
            turns += 1
            return true
        }
        var requests = 0
        while case .request? = machine.step(at: now, takesTurn: takesTurn) { requests += 1 }
        _ = machine.take(1000, of: main, at: now)
        #expect(machine.step(at: now, takesTurn: takesTurn) == nil)
        #expect(requests > 0 && turns == requests)
    }

    @Test func `bytes that arrive all the time do not put the next check off`() {
        var now = MonotonicTime(nanoseconds: 0)
        var machine = SegmentMachine(total: 1 << 30, sources: [SegmentSource(limit: 4)], .measured)
        let main = machine.adopt(source: 0, at: now)
        #expect(machine.step(at: now) == nil)
        let check = now + .milliseconds(100)
        while now < check {
            #expect(machine.nextCheck == check)
            now = now + .milliseconds(10)
            _ = machine.take(10_000, of: main, at: now)
        }
        #expect(machine.step(at: now) == nil)
        #expect(machine.nextCheck == now + .milliseconds(100))
    }

    @Test func `measured connections grow while the file arrives faster`() {
        var wide = SegmentSimulation(total: 1 << 30, [Self.server(4)], .measured, adopts: true)
        #expect(wide.run() == .complete)
        #expect(wide.mostConnections == 16)
        // Two measurements, and then 16 connections.
        var large = SegmentSimulation(total: 128 << 20, [Self.server(4)], .measured, adopts: true)
        #expect(large.run() == .complete)
        #expect(large.seconds < 3.8)
        var far = Self.server(4)
        far.latency = 0.3
        var slow = SegmentSimulation(total: 1 << 30, [far], .measured, adopts: true)
        #expect(slow.run() == .complete)
        #expect(slow.mostConnections == 16)
        var narrow = SegmentSimulation(
            total: 1 << 28,
            [Server(connectionRate: 4 * Self.mebibyte, rate: 4 * Self.mebibyte)],
            .measured,
            adopts: true
        )
        #expect(narrow.run() == .complete)
        #expect(narrow.mostConnections <= 4)
        var small = SegmentSimulation(total: 8 << 20, [Self.server(4)], .measured, adopts: true)
        #expect(small.run() == .complete)
        #expect(small.requestCount == 1)
    }
}

/// A seeded generator of random numbers (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
