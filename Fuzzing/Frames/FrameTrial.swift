import SystemKit
import TestSupport
import WebSockets

/// One input given to machines whole, by single bytes and in random pieces, and compared with the
/// reference.
struct FrameTrial {
    /// The kinds of the events, runs of the same kind as one.
    private(set) var answer = ""
    /// The rules that the machine broke, one sentence each.
    private(set) var faults: [String] = []
    /// The number of events, with the end.
    private(set) var eventCount = 0

    /// The machine's bounds besides the limit of a message, with room for a few frames.
    private static let otherMemory = (64 << 10) + 1024
    /// A longer output may have left out pongs.
    private static let wholeOutput = 64 << 10
    private static let limits = [0, 100, 4096, 128 << 10]

    private struct Reading {
        var events: [ConnectionEvent] = []
        var output: [UInt8] = []
        var mostHeld = 0
    }

    private let bytes: [UInt8]
    private let limit: Int
    private let hasClosed: Bool
    private let pings: [[UInt8]]

    /// Settings and pieces follow from the bytes alone, so that a kept file is tried again alike.
    init(_ bytes: [UInt8]) {
        var random = SplitMix64(seed: bytes.span.fnv1a)
        self.bytes = bytes
        limit = Self.limits.randomElement(using: &random) ?? 0
        hasClosed = Int.random(in: 0..<4, using: &random) == 0
        pings = Bool.random(using: &random) ? [[], [1], []] : []

        let whole = read { bytes.count }
        let reference = ReferenceReading(bytes, limit: limit, hasClosed: hasClosed, pings: pings)
        if whole.events != reference.events {
            faults.append("the events are not those of the reference")
        }
        check(whole, "whole")
        compare(whole, read { 1 }, "by single bytes")
        for _ in 0..<3 {
            let longest = [3, 20, 300, 5000].randomElement(using: &random) ?? 1
            let pieces = read { Int.random(in: 1...longest, using: &random) }
            compare(whole, pieces, "in random pieces")
        }
        checkAnswers(read(takesOutput: true) { 1 + bytes.count / 7 }, reference)
        eventCount = whole.events.count
        describe(whole.events)
    }

    /// Gives all bytes to a new machine, in pieces of the lengths that `length` returns.
    private func read(takesOutput: Bool = false, length: () -> Int) -> Reading {
        var machine = WebSocketMachine(
            maximumMessageSize: limit,
            maskingKeys: SplitMix64(seed: 1)
        )
        var reading = Reading()
        for ping in pings { try? machine.ping(ping) }
        if hasClosed { try? machine.close() }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, length()))
            reading.events += machine.receive(bytes.span.extracting(start..<end))
            reading.mostHeld = max(reading.mostHeld, machine.heldByteCount)
            if takesOutput { reading.output += machine.takeOutput() }
            start = end
        }
        reading.events += machine.receiveEnd()
        reading.output += machine.takeOutput()
        return reading
    }

    private mutating func check(_ reading: Reading, _ name: String) {
        if reading.mostHeld > limit + Self.otherMemory {
            faults.append("\(name) the machine holds \(reading.mostHeld) bytes")
        }
        // Each event but a fault and the end has two bytes at least.
        if reading.events.count > bytes.count / 2 + 2 {
            faults.append("\(name) there are \(reading.events.count) events")
        }
    }

    private mutating func compare(_ whole: Reading, _ other: Reading, _ name: String) {
        check(other, name)
        if other.events != whole.events { faults.append("\(name) the events are others") }
        if other.output != whole.output { faults.append("\(name) the output is another") }
    }

    /// Compares the frames that the machine sends with the reference's.
    private mutating func checkAnswers(_ reading: Reading, _ reference: ReferenceReading) {
        guard let frames = ClientFrame.read(reading.output) else {
            faults.append("the output is not frames of a client")
            return
        }
        let own = pings.map { ClientFrame(opcode: ServerFrame.ping, payload: $0) }
        let expected = own + (hasClosed ? [.close(1000)] : []) + reference.answers
        guard reading.output.count < Self.wholeOutput || frames == expected else {
            // Pongs were left out: the others are in order, and the latest ping has its pong.
            var rest = expected[...]
            for frame in frames {
                while let next = rest.popFirst(), next != frame {}
            }
            if frames.last != expected.last { faults.append("the latest ping has no pong") }
            return
        }
        if frames != expected { faults.append("the answers are not those of the reference") }
    }

    private mutating func describe(_ events: [ConnectionEvent]) {
        var names: [String] = []
        for event in events {
            let name =
                switch event {
                case .message(let message): "\(message.kind)"
                case .ping: "ping"
                case .pong(_, let answered): "pong\(answered)"
                case .closing: "closing"
                case .failed(let fault): "\("\(fault)".prefix { $0 != "(" })"
                case .ended(let end): end.isInsideMessage ? "cut" : "end"
                }
            if names.last != name { names.append(name) }
        }
        answer = "\(limit) \(hasClosed) " + names.suffix(8).joined(separator: " ")
    }
}
