import TestSupport
import Testing

@testable import WebSockets

/// Modelled on section 5 (fragmentation) of the Autobahn test suite.
@Suite struct FragmentationTests {
    // 5.1, 5.2
    @Test(arguments: [(ServerFrame.ping, Opcode.ping), (ServerFrame.pong, .pong)])
    func `a fragmented ping or pong fails the connection`(number: UInt8, opcode: Opcode) throws {
        let conversation = try Conversation(
            ServerFrame.make(number, Array("fragment1".utf8), isFinal: false),
            ServerFrame.next("fragment2")
        )
        #expect(conversation.events == [.failed(.fragmentedControlFrame(opcode))])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    @Test func `a fragmented close frame fails the connection`() throws {
        let conversation = try Conversation(
            ServerFrame.make(ServerFrame.close, [0x03], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [0xE8])
        )
        #expect(conversation.events == [.failed(.fragmentedControlFrame(.close))])
    }

    // 5.3 to 5.5
    @Test func `two fragments are one message`() throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.next("fragment2")
        )
        #expect(conversation.events == [.text("fragment1fragment2")])
        #expect(conversation.answers == [])
    }

    @Test func `fragments of a binary message are joined`() throws {
        let conversation = try Conversation(
            ServerFrame.make(ServerFrame.binary, [0xFF], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [0x00, 0xC0], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [])
        )
        #expect(conversation.events == [.binary([0xFF, 0x00, 0xC0])])
    }

    // 5.6 to 5.8
    @Test func `a ping between fragments is answered at once`() throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.ping("ping payload"),
            ServerFrame.next("fragment2")
        )
        #expect(conversation.events == [.ping("ping payload"), .text("fragment1fragment2")])
        #expect(conversation.answers == [.pong("ping payload")])
    }

    // 5.9 to 5.14
    @Test(arguments: [true, false])
    func `a continuation without a message fails the connection`(isFinal: Bool) throws {
        let conversation = try Conversation(
            ServerFrame.next("non-continuation payload", isFinal: isFinal),
            ServerFrame.text("Hello, world!")
        )
        #expect(conversation.events == [.failed(.continuationWithoutMessage)])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // 5.15
    @Test func `a continuation behind a whole message fails the connection`() throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.next("fragment2"),
            ServerFrame.next("fragment3", isFinal: false),
            ServerFrame.text("fragment4")
        )
        #expect(conversation.eventsBeforeFault == [.text("fragment1fragment2")])
        #expect(conversation.fault == .continuationWithoutMessage)
    }

    // 5.16, 5.17
    @Test(arguments: [true, false])
    func `a continuation before its message fails the connection`(isFinal: Bool) throws {
        let fragments = [
            ServerFrame.next("fragment1", isFinal: isFinal), ServerFrame.text("fragment2"),
        ]
        let conversation = try Conversation(fragments.flatMap { $0 }, fragments.flatMap { $0 })
        #expect(conversation.events == [.failed(.continuationWithoutMessage)])
    }

    // 5.18
    @Test(arguments: [ServerFrame.text, ServerFrame.binary], [true, false])
    func `a message inside of another one fails the connection`(
        opcode: UInt8,
        isFinal: Bool
    ) throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.make(opcode, Array("fragment2".utf8), isFinal: isFinal)
        )
        #expect(conversation.events == [.failed(.messageInsideMessage)])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // 5.19, 5.20
    @Test func `pings between five fragments are answered in their order`() throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.next("fragment2", isFinal: false),
            ServerFrame.ping("pongme 1!"),
            ServerFrame.next("fragment3", isFinal: false),
            ServerFrame.next("fragment4", isFinal: false),
            ServerFrame.ping("pongme 2!"),
            ServerFrame.next("fragment5")
        )
        #expect(
            conversation.events == [
                .ping("pongme 1!"), .ping("pongme 2!"),
                .text("fragment1fragment2fragment3fragment4fragment5"),
            ]
        )
        #expect(conversation.answers == [.pong("pongme 1!"), .pong("pongme 2!")])
    }
}
