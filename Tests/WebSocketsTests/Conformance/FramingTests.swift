import TestSupport
import Testing

@testable import WebSockets

/// Modelled on sections 1 (framing), 3 (reserved bits) and 4 (opcodes) of the Autobahn test suite.
@Suite struct FramingTests {
    private static let lengths = [0, 1, 125, 126, 127, 128, 65535, 65536, 65537]

    // 1.1.1 to 1.1.8
    @Test(arguments: lengths)
    func `a text message of any length arrives whole`(length: Int) throws {
        let text = String(repeating: "*", count: length)
        let conversation = try Conversation(ServerFrame.text(text))
        #expect(conversation.events == [.text(text)])
        #expect(conversation.answers == [])
        #expect(conversation.transport == .read)
    }

    // 1.2.1 to 1.2.8
    @Test(arguments: lengths)
    func `a binary message of any length arrives whole`(length: Int) throws {
        let bytes = (0..<length).map { UInt8($0 & 0xFF) }
        let conversation = try Conversation(ServerFrame.make(ServerFrame.binary, bytes))
        #expect(conversation.events == [.binary(bytes)])
        #expect(conversation.answers == [])
    }

    // 3.1, 3.5 to 3.7, with all values of the reserved bits
    @Test(arguments: 1...7 as ClosedRange<UInt8>, [0, 1, 2, 8, 9, 10] as [UInt8])
    func `a frame with reserved bits fails the connection`(bits: UInt8, opcode: UInt8) throws {
        let conversation = try Conversation(ServerFrame.make(opcode, [1], reserved: bits))
        #expect(conversation.events == [.failed(.reservedBits(bits << 4))])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // 3.2 to 3.4
    @Test func `messages before reserved bits count and pings behind them do not`() throws {
        let conversation = try Conversation(
            ServerFrame.text("Hello"),
            ServerFrame.make(ServerFrame.text, Array("world".utf8), reserved: 2),
            ServerFrame.ping("late")
        )
        #expect(conversation.fault == .reservedBits(0x20))
        #expect(conversation.eventsBeforeFault == [.text("Hello")])
        #expect(conversation.answers.count == 1)
    }

    // 4.1.1 to 4.2.5
    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8], [0, 4])
    func `a frame with a reserved opcode fails the connection`(
        opcode: UInt8,
        length: Int
    ) throws {
        let conversation = try Conversation(
            ServerFrame.text("Hello"),
            ServerFrame.make(opcode, [UInt8](repeating: 7, count: length)),
            ServerFrame.ping("late")
        )
        #expect(conversation.fault == .reservedOpcode(opcode))
        #expect(conversation.eventsBeforeFault == [.text("Hello")])
        #expect(conversation.answers.count == 1)
    }

    // §5.1
    @Test func `a masked frame fails the connection`() throws {
        let conversation = try Conversation([0x81, 0x85, 1, 2, 3, 4, 0x49, 0x67, 0x6F, 0x68, 0x6E])
        #expect(conversation.events == [.failed(.maskedFrame)])
        #expect(conversation.fault?.closeCode == .protocolError)
    }

    // §5.2
    @Test(arguments: [(0, 2), (125, 2), (0, 8), (126, 8), (65535, 8)])
    func `a length with more bytes than it needs fails the connection`(
        length: Int,
        lengthBytes: Int
    ) throws {
        let payload = [UInt8](repeating: 7, count: length)
        let conversation = try Conversation(
            ServerFrame.make(ServerFrame.binary, payload, lengthBytes: lengthBytes)
        )
        #expect(conversation.events == [.failed(.lengthNotMinimal(length))])
    }

    // §5.2
    @Test func `a length of 64 bits fails the connection at its first byte`() throws {
        let conversation = try Conversation([0x82, 0x7F, 0x80])
        #expect(conversation.fault == .lengthTooLarge)
    }

    // §10.4, in place of section 9
    @Test func `a length of 63 bits is refused for its size before any payload`() throws {
        let conversation = try Conversation(
            [0x82, 0x7F, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        )
        #expect(conversation.fault == .messageTooLarge(limit: 1 << 20))
        #expect(conversation.fault?.closeCode == .messageTooLarge)
    }
}
