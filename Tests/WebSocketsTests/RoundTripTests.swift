import TestSupport
import Testing

@testable import WebSockets

/// Random conversations: the seed makes the same one on every machine.
@Suite struct RoundTripTests {
    private static let characters = "az 09µßκό日本🚀𝄞"

    private func text(_ random: inout SplitMix64) -> String {
        let length = Int.random(in: 0...400, using: &random)
        return String(
            (0..<length).map { _ in Self.characters.randomElement(using: &random) ?? "a" }
        )
    }

    private func bytes(_ random: inout SplitMix64) -> [UInt8] {
        let length = [0, 1, 125, 126, 127, 1000, 65535, 65536].randomElement(using: &random) ?? 0
        return (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func message(_ random: inout SplitMix64) -> Message {
        Bool.random(using: &random) ? Message(text: text(&random)) : Message(binary: bytes(&random))
    }

    /// The frames of a message in random fragments, with pings and pongs between them.
    private func frames(
        of message: Message,
        _ random: inout SplitMix64,
        _ expected: inout [ConnectionEvent]
    ) -> [UInt8] {
        var frames: [UInt8] = []
        var rest = message.bytes[...]
        var opcode = message.kind == .text ? ServerFrame.text : ServerFrame.binary
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let part = rest.prefix(Int.random(in: 0...rest.count, using: &random))
            rest = rest.dropFirst(part.count)
            frames += ServerFrame.make(opcode, Array(part), isFinal: false)
            opcode = ServerFrame.continuation
            let payload = (0..<Int.random(in: 0...125, using: &random)).map { UInt8($0) }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                frames += ServerFrame.make(ServerFrame.ping, payload)
                expected.append(.ping(payload))
            case 1:
                frames += ServerFrame.make(ServerFrame.pong, payload)
                expected.append(.pong(payload, answered: 0))
            default: break
            }
        }
        expected.append(.message(message))
        return frames + ServerFrame.make(opcode, Array(rest))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `messages arrive as they were sent whatever their fragments and pieces`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        var machine = WebSocketMachine(maximumMessageSize: 1 << 20, maskingKeys: random)
        var expected: [ConnectionEvent] = []
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            bytes += frames(of: message(&random), &random, &expected)
        }
        bytes += ServerFrame.close(1000)
        expected.append(.closing(1000))
        var events: [ConnectionEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...2000, using: &random))
            rest = rest.dropFirst(piece.count)
            events += machine.receive(Array(piece))
        }
        #expect(events == expected)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `an independent reader finds the messages that a client sends`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var machine = WebSocketMachine(maximumMessageSize: 0, maskingKeys: random)
        var expected: [Message] = []
        for _ in 0..<20 {
            let message = message(&random)
            expected.append(message)
            guard Bool.random(using: &random) else {
                try machine.send(message)
                continue
            }
            let middle = Int.random(in: 0...message.bytes.count, using: &random)
            let kind = message.kind
            try machine.send(
                fragment: Array(message.bytes[..<middle]),
                of: kind,
                isFinal: false
            )
            try machine.send(fragment: Array(message.bytes[middle...]), of: kind, isFinal: true)
        }
        let frames = try #require(ClientFrame.read(machine.takeOutput()))
        var messages: [Message] = []
        var open: ClientFrame?
        for frame in frames {
            var whole = open ?? frame
            if open != nil { whole.payload += frame.payload }
            open = frame.isFinal ? nil : whole
            guard frame.isFinal else { continue }
            messages.append(
                whole.opcode == ServerFrame.text
                    ? Message(text: String(decoding: whole.payload, as: UTF8.self))
                    : Message(binary: whole.payload)
            )
        }
        #expect(messages == expected)
    }
}
