import SystemKit
import TestSupport
import Testing

@testable import WebSockets

/// Modelled on section 9 (limits) of the Autobahn test suite, in small, and on what hostile servers
/// do.
@Suite struct LimitTests {
    // 9.1.3, 9.2.3
    @Test(arguments: [ServerFrame.text, ServerFrame.binary])
    func `a message of a mebibyte arrives whole`(opcode: UInt8) throws {
        let bytes = [UInt8](repeating: 0x2A, count: 1 << 20)
        let conversation = try Conversation(ServerFrame.make(opcode, bytes))
        guard case .message(let message)? = conversation.events.first else {
            Issue.record("no message")
            return
        }
        #expect(conversation.events.count == 1)
        #expect(message.bytes == bytes)
    }

    // 9.3.1 to 9.4.9
    @Test(arguments: [64, 256, 1024, 4096, 65536])
    func `a message in fragments of any size arrives whole`(size: Int) throws {
        let bytes = (0..<65536).map { UInt8($0 / 251 & 0x7F) }
        let pieces = stride(from: 0, to: bytes.count, by: size).map { start in
            ServerFrame.make(
                start == 0 ? ServerFrame.text : ServerFrame.continuation,
                Array(bytes[start..<start + size]),
                isFinal: start + size == bytes.count
            )
        }
        let conversation = try Conversation(Array(pieces.joined()))
        #expect(conversation.events == [.text(String(decoding: bytes, as: UTF8.self))])
    }

    // 9.5, 9.6 are the single bytes of every conversation.

    @Test func `a message of the limit arrives and a longer one fails with 1009`() throws {
        let bytes = [UInt8](repeating: 1, count: 1000)
        let frame = ServerFrame.make(ServerFrame.binary, bytes)
        #expect(try Conversation(frame, maximumMessageSize: 1000).events == [.binary(bytes)])
        // The header alone is refused.
        let longer = try Conversation(Array(frame.prefix(4)), maximumMessageSize: 999)
        #expect(longer.fault == .messageTooLarge(limit: 999))
        #expect(longer.fault?.closeCode == .messageTooLarge)
    }

    @Test func `the limit of a message counts all of its fragments`() throws {
        let conversation = try Conversation(
            ServerFrame.text("12345", isFinal: false),
            ServerFrame.ping(String(repeating: "*", count: 125)),
            ServerFrame.next("67890", isFinal: false),
            Array(ServerFrame.next("!").prefix(2)),
            maximumMessageSize: 10
        )
        #expect(conversation.fault == .messageTooLarge(limit: 10))
    }

    @Test(arguments: [0, -1])
    func `a limit of no bytes lets empty messages arrive`(limit: Int) throws {
        let conversation = try Conversation(
            ServerFrame.text(""),
            ServerFrame.text("a"),
            maximumMessageSize: limit
        )
        #expect(conversation.eventsBeforeFault == [.text("")])
        #expect(conversation.fault == .messageTooLarge(limit: 0))
    }

    @Test func `an announced length takes no memory before its bytes arrive`() {
        var machine = WebSocketMachine(maximumMessageSize: .max)
        let header: [UInt8] = [0x82, 0x7F, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        #expect(machine.receive(header) == [])
        #expect(machine.receive([1, 2, 3]) == [])
        #expect(machine.heldByteCount == 3)
    }

    @Test func `fragments that would pass 63 bits together fail instead of trapping`() throws {
        let header: [UInt8] = [0x80, 0x7F, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        let conversation = try Conversation(
            ServerFrame.text("a", isFinal: false),
            header,
            maximumMessageSize: .max
        )
        #expect(conversation.fault == .messageTooLarge(limit: .max))
    }

    @Test func `a flood of pings grows the output to its bound and keeps the latest ping`() throws {
        var machine = WebSocketMachine(
            maximumMessageSize: 1024,
            maskingKeys: SplitMix64(seed: 1)
        )
        for number in 0..<5000 {
            let payload = "\(number) " + String(repeating: "*", count: 100)
            _ = machine.receive(ServerFrame.ping(payload))
            #expect(machine.heldByteCount < OutputQueue.pongLimit + 256)
        }
        let pongs = try #require(ClientFrame.read(machine.takeOutput()))
        #expect(pongs.first?.payload.prefix(2) == Array("0 ".utf8)[...])
        #expect(pongs.last?.payload.prefix(5) == Array("4999 ".utf8)[...])
        #expect(pongs.count < 5000)
        // Once the output is taken, every ping is answered again.
        _ = machine.receive((ServerFrame.ping("a") + ServerFrame.ping("b")))
        #expect(ClientFrame.read(machine.takeOutput()) == [.pong("a"), .pong("b")])
        #expect(!machine.hasOutput)
    }

    @Test func `empty fragments without end keep nothing`() {
        var machine = WebSocketMachine(maximumMessageSize: 1024)
        _ = machine.receive(ServerFrame.text("", isFinal: false))
        for _ in 0..<10_000 {
            #expect(machine.receive(ServerFrame.next("", isFinal: false)) == [])
        }
        #expect(machine.heldByteCount == 0)
    }

    @Test func `pings of an application to a silent server are refused at their bound`() throws {
        var machine = WebSocketMachine(maximumMessageSize: 1024)
        for _ in 0..<UnansweredPings.limit { try machine.ping() }
        #expect(throws: SendRefusal.manyPings(64)) { try machine.ping() }
        #expect(machine.unansweredPingCount == 64)
        _ = machine.receive(ServerFrame.pong(""))
        try machine.ping()
        #expect(machine.unansweredPingCount == 64)
    }
}
