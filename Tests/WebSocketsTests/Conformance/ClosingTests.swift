import TestSupport
import Testing

@testable import WebSockets

/// Modelled on section 7 (close handling) of the Autobahn test suite.
@Suite struct ClosingTests {
    // 7.1.1
    @Test func `a close frame behind a message is answered with its code`() throws {
        let conversation = try Conversation(
            ServerFrame.text("Hello World!"),
            ServerFrame.close(1000)
        )
        #expect(conversation.events == [.text("Hello World!"), .closing(1000)])
        #expect(conversation.answers == [.close(1000)])
        #expect(conversation.transport == .awaitEnd)
    }

    // 7.1.2 to 7.1.4
    @Test(arguments: [
        ServerFrame.close(1000), ServerFrame.ping("late"), ServerFrame.text("late"), [0xFF, 0xFF],
    ])
    func `bytes behind the server's close frame are ignored`(late: [UInt8]) throws {
        let conversation = try Conversation(ServerFrame.close(1000), late)
        #expect(conversation.events == [.closing(1000)])
        #expect(conversation.answers == [.close(1000)])
        #expect(conversation.transport == .awaitEnd)
    }

    // 7.1.5
    @Test func `a close frame between fragments drops the message`() throws {
        let conversation = try Conversation(
            ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.close(1000),
            ServerFrame.next("fragment2")
        )
        #expect(conversation.events == [.closing(1000)])
        #expect(conversation.answers == [.close(1000)])
    }

    // 7.1.6
    @Test func `a long message before a close frame arrives and a ping behind it does not`() throws
    {
        let text = String(repeating: "BAsd7&jh23", count: 26_000)
        let conversation = try Conversation(
            ServerFrame.text(text),
            ServerFrame.close(1000),
            ServerFrame.ping("late")
        )
        #expect(conversation.events == [.text(text), .closing(1000)])
        #expect(conversation.answers == [.close(1000)])
    }

    // 7.3.1
    @Test func `an empty close frame is answered with an empty one`() throws {
        let conversation = try Conversation(ServerFrame.make(ServerFrame.close))
        #expect(conversation.events == [.closing(nil)])
        #expect(conversation.answers == [.close(nil)])
    }

    // 7.3.2
    @Test func `a close frame with half of a code fails the connection`() throws {
        let conversation = try Conversation(ServerFrame.make(ServerFrame.close, [0x61]))
        #expect(conversation.events == [.failed(.closeCodeCut)])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // 7.3.3 to 7.3.5
    @Test(arguments: ["", "Hello World!", String(repeating: "*", count: 123), "κόσμε"])
    func `a close reason of up to 123 bytes is taken`(reason: String) throws {
        let conversation = try Conversation(ServerFrame.close(1000, reason))
        #expect(conversation.events == [.closing(1000, reason)])
        #expect(conversation.answers == [.close(1000)])
    }

    // 7.3.6
    @Test func `a close frame of 126 bytes fails the connection`() throws {
        let reason = String(repeating: "*", count: 124)
        let conversation = try Conversation(ServerFrame.close(1000, reason))
        #expect(conversation.events == [.failed(.longControlFrame(.close))])
    }

    // 7.5.1
    @Test func `a close reason that is not UTF-8 fails the connection with 1007`() throws {
        let reason: [UInt8] = [0x03, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80]
        let conversation = try Conversation(ServerFrame.make(ServerFrame.close, reason))
        #expect(conversation.events == [.failed(.closeReasonNotUTF8)])
        #expect(conversation.fault?.closeCode == .invalidPayload)
    }

    // 7.7.1 to 7.7.13, and the codes 1012 to 1014 of IANA's registry
    @Test(
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999,
            4000,
            4999,
        ] as [UInt16]
    )
    func `a valid close code is taken and repeated`(code: UInt16) throws {
        let conversation = try Conversation(ServerFrame.close(code))
        #expect(conversation.events == [.closing(code)])
        #expect(conversation.answers == [.close(code)])
    }

    // 7.9.1 to 7.9.9, 7.13.1, 7.13.2
    @Test(
        arguments: [
            0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
        ] as [UInt16]
    )
    func `a close code that no frame may have fails the connection`(code: UInt16) throws {
        let conversation = try Conversation(ServerFrame.close(code))
        #expect(conversation.events == [.failed(.closeCode(CloseCode(rawValue: code)))])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // §1.4
    @Test func `messages between the own close frame and the server's arrive`() throws {
        let conversation = try Conversation(
            ServerFrame.text("late", isFinal: false),
            ServerFrame.next("r"),
            ServerFrame.close(1000, "bye")
        ) { try $0.close(code: .goingAway, reason: "done") }
        #expect(conversation.events == [.text("later"), .closing(1000, "bye")])
        #expect(conversation.answers == [.close(1001, "done")])
        #expect(conversation.transport == .awaitEnd)
    }

    // §5.5.1
    @Test func `a fault behind the own close frame sends no second one`() throws {
        let conversation = try Conversation(ServerFrame.next("late")) { try $0.close() }
        #expect(conversation.events == [.failed(.continuationWithoutMessage)])
        #expect(conversation.answers == [.close(1000)])
        #expect(conversation.transport == .close)
    }
}
