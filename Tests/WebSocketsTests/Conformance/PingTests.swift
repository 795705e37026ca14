import TestSupport
import Testing

@testable import WebSockets

/// Modelled on section 2 (pings and pongs) of the Autobahn test suite.
@Suite struct PingTests {
    // 2.1 to 2.4, 2.6
    @Test(arguments: [
        [], Array("Hello, world!".utf8), [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF],
        [UInt8](repeating: 0xFE, count: 125),
    ])
    func `a ping is answered with its payload`(payload: [UInt8]) throws {
        let conversation = try Conversation(ServerFrame.make(ServerFrame.ping, payload))
        #expect(conversation.events == [.ping(payload)])
        #expect(conversation.answers == [ClientFrame(opcode: ServerFrame.pong, payload: payload)])
    }

    // 2.5
    @Test(arguments: [(126, 2), (126, 8), (0, 2), (65536, 8)])
    func `a ping with a long length fails the connection`(length: Int, lengthBytes: Int) throws {
        let payload = [UInt8](repeating: 0xFE, count: length)
        let conversation = try Conversation(
            ServerFrame.make(ServerFrame.ping, payload, lengthBytes: lengthBytes)
        )
        #expect(conversation.fault == .longControlFrame(.ping))
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // 2.7, 2.8
    @Test(arguments: ["", "unsolicited pong payload"])
    func `an unsolicited pong is seen and not answered`(payload: String) throws {
        let conversation = try Conversation(ServerFrame.pong(payload))
        #expect(conversation.events == [.pong(payload, answered: 0)])
        #expect(conversation.answers == [])
    }

    // 2.9
    @Test func `a ping behind an unsolicited pong is answered`() throws {
        let conversation = try Conversation(
            ServerFrame.pong("unsolicited pong payload"),
            ServerFrame.ping("ping payload")
        )
        #expect(
            conversation.events == [
                .pong("unsolicited pong payload", answered: 0), .ping("ping payload"),
            ]
        )
        #expect(conversation.answers == [.pong("ping payload")])
    }

    // 2.10, 2.11
    @Test func `ten pings have ten pongs in their order`() throws {
        let payloads = (0..<10).map { "payload-\($0)" }
        let conversation = try Conversation(payloads.flatMap(ServerFrame.ping))
        #expect(conversation.events == payloads.map { .ping($0) })
        #expect(conversation.answers == payloads.map { .pong($0) })
    }

    // §5.5.3
    @Test func `a pong answers the oldest ping with its payload and all before it`() throws {
        let conversation = try Conversation(
            ServerFrame.pong("b"),
            ServerFrame.pong("b"),
            ServerFrame.pong("a")
        ) { machine in
            for payload in ["a", "b", "b", "c"] { try machine.ping(Array(payload.utf8)) }
        }
        #expect(
            conversation.events == [
                .pong("b", answered: 2), .pong("b", answered: 1), .pong("a", answered: 0),
            ]
        )
        #expect(conversation.answers == ["a", "b", "b", "c"].map(ClientFrame.ping))
    }

    // §5.5.2
    @Test func `a ping is answered behind the own close frame and not behind the server's`() throws
    {
        let conversation = try Conversation(
            ServerFrame.ping("before"),
            ServerFrame.close(1000),
            ServerFrame.ping("behind")
        ) { try $0.close() }
        #expect(conversation.events == [.ping("before"), .closing(1000)])
        #expect(conversation.answers == [.close(1000), .pong("before")])
    }
}
