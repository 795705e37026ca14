import TestSupport
import Testing

@testable import WebSockets

@Suite struct WebSocketMachineTests {
    private func machine() -> WebSocketMachine {
        WebSocketMachine(maximumMessageSize: 1 << 20, maskingKeys: SplitMix64(seed: 3))
    }

    private func frames(of machine: inout WebSocketMachine) throws -> [ClientFrame] {
        try #require(ClientFrame.read(machine.takeOutput()))
    }

    // MARK: Sending

    @Test func `messages are sent as one frame each in their order`() throws {
        var machine = machine()
        #expect(!machine.hasOutput)
        try machine.send(Message(text: "κόσμε"))
        try machine.send(Message(binary: [0xFF, 0x00]))
        #expect(machine.hasOutput)
        #expect(
            try frames(of: &machine) == [
                .text("κόσμε"), ClientFrame(opcode: ServerFrame.binary, payload: [0xFF, 0x00]),
            ]
        )
        #expect(!machine.hasOutput)
        #expect(machine.takeOutput() == [])
    }

    // §5.3
    @Test func `each frame has a masking key of its own`() throws {
        var machine = machine()
        for _ in 0..<100 { try machine.send(Message(text: "")) }
        let output = machine.takeOutput()
        let keys = stride(from: 0, to: output.count, by: 6).map { Array(output[$0 + 2..<$0 + 6]) }
        #expect(Set(keys).count == 100)
    }

    // §5.4
    @Test func `a message may be sent in fragments with pings and pongs between them`() throws {
        var machine = machine()
        try machine.send(fragment: Array("frag".utf8), of: .text, isFinal: false)
        try machine.ping([1])
        _ = machine.receive(ServerFrame.ping("p"))
        try machine.send(fragment: Array("ment".utf8), of: .text, isFinal: false)
        try machine.send(fragment: [], of: .text, isFinal: true)
        try machine.send(Message(text: "next"))
        #expect(
            try frames(of: &machine) == [
                ClientFrame(isFinal: false, opcode: 1, payload: Array("frag".utf8)),
                ClientFrame(opcode: 9, payload: [1]), .pong("p"),
                ClientFrame(isFinal: false, opcode: 0, payload: Array("ment".utf8)),
                ClientFrame(opcode: 0), .text("next"),
            ]
        )
    }

    @Test func `another message between fragments is refused and sends nothing`() throws {
        var machine = machine()
        try machine.send(fragment: [1], of: .binary, isFinal: false)
        _ = machine.takeOutput()
        #expect(throws: SendRefusal.messageIsUnfinished) { try machine.send(Message(text: "")) }
        #expect(throws: SendRefusal.messageIsUnfinished) {
            try machine.send(fragment: [1], of: .text, isFinal: true)
        }
        #expect(!machine.hasOutput)
    }

    // §5.6
    @Test func `fragments of text that are not UTF-8 together are refused`() throws {
        var machine = machine()
        try machine.send(fragment: [0xCE], of: .text, isFinal: false)
        #expect(throws: SendRefusal.textNotUTF8) {
            try machine.send(fragment: [0x61], of: .text, isFinal: false)
        }
        #expect(throws: SendRefusal.textNotUTF8) {
            try machine.send(fragment: [], of: .text, isFinal: true)
        }
        // A refused fragment changes nothing: the character may still be completed.
        try machine.send(fragment: [0xBA], of: .text, isFinal: true)
        #expect(try frames(of: &machine).count == 2)
    }

    // §5.5
    @Test func `a ping of 125 bytes is sent and a longer one refused`() throws {
        var machine = machine()
        try machine.ping([UInt8](repeating: 1, count: 125))
        #expect(throws: SendRefusal.longPing(126)) {
            try machine.ping([UInt8](repeating: 1, count: 126))
        }
        #expect(machine.unansweredPingCount == 1)
    }

    // MARK: Closing

    // §7.4
    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535] as [UInt16])
    func `a close code that no frame may have is refused`(code: UInt16) {
        var machine = machine()
        let code = CloseCode(rawValue: code)
        #expect(throws: SendRefusal.closeCode(code)) { try machine.close(code: code) }
        #expect(machine.isOpen)
        #expect(!machine.hasOutput)
    }

    @Test func `a close reason has a code before it and at most 123 bytes`() throws {
        var machine = machine()
        #expect(throws: SendRefusal.reasonWithoutCode) {
            try machine.close(code: nil, reason: "a")
        }
        #expect(throws: SendRefusal.longReason(124)) {
            try machine.close(reason: String(repeating: "é", count: 62))
        }
        try machine.close(reason: String(repeating: "é", count: 61) + "a")
        #expect(try frames(of: &machine).first?.payload.count == 125)
    }

    // §5.5.1
    @Test func `nothing is sent behind the own close frame`() throws {
        var machine = machine()
        try machine.close(code: nil)
        #expect(try frames(of: &machine) == [.close(nil)])
        #expect(machine.transport == .read)
        #expect(!machine.isOpen)
        #expect(throws: SendRefusal.isClosing) { try machine.send(Message(text: "late")) }
        #expect(throws: SendRefusal.isClosing) { try machine.ping() }
        #expect(throws: SendRefusal.isClosing) { try machine.close() }
        #expect(throws: SendRefusal.isClosing) {
            try machine.send(fragment: [], of: .binary, isFinal: true)
        }
        #expect(!machine.hasOutput)
    }

    // §7.1.1
    @Test func `behind both close frames the server closes the connection first`() throws {
        var machine = machine()
        try machine.close(reason: "done")
        #expect(machine.receive(ServerFrame.close(1000, "bye")) == [.closing(1000, "bye")])
        #expect(machine.transport == .awaitEnd)
        let end = ConnectionEnd(
            code: .normalClosure,
            reason: "bye",
            isClean: true,
            isInsideMessage: false
        )
        #expect(machine.receiveEnd() == [.ended(end)])
        #expect(machine.transport == .close)
    }

    // §7.1.5
    @Test func `a close frame without a code ends with 1005`() {
        var machine = machine()
        _ = machine.receive(ServerFrame.make(ServerFrame.close))
        let end = ConnectionEnd(
            code: .noStatusReceived,
            reason: "",
            isClean: true,
            isInsideMessage: false
        )
        #expect(machine.receiveEnd() == [.ended(end)])
    }

    // §7.1.7
    @Test func `a fault is told to the server and the client closes the connection`() throws {
        var machine = machine()
        try machine.send(Message(text: "first"))
        #expect(
            machine.receive(ServerFrame.next("a")) == [.failed(.continuationWithoutMessage)]
        )
        #expect(machine.transport == .close)
        #expect(
            try frames(of: &machine) == [
                .text("first"),
                .close(1002, "the server continued a message that it had not begun"),
            ]
        )
        #expect(machine.receive(ServerFrame.close(1002)) == [])
        #expect(throws: SendRefusal.hasEnded) { try machine.send(Message(text: "late")) }
        let end = ConnectionEnd(
            code: .abnormalClosure,
            reason: "",
            isClean: false,
            isInsideMessage: false
        )
        #expect(machine.receiveEnd() == [.ended(end)])
    }

    @Test(
        arguments: [
            .reservedBits(0x70), .reservedOpcode(15), .maskedFrame, .fragmentedControlFrame(.close),
            .longControlFrame(.close), .lengthNotMinimal(65535), .lengthTooLarge,
            .continuationWithoutMessage, .messageInsideMessage, .closeCodeCut,
            .closeCode(CloseCode(rawValue: 65535)), .closeReasonNotUTF8, .textNotUTF8(at: .max),
            .messageTooLarge(limit: .max),
        ] as [ProtocolFault]
    )
    func `the sentence of a fault fits into a close frame`(fault: ProtocolFault) {
        #expect(fault.message.utf8.count <= Closing.reasonLimit)
        #expect(fault.closeCode.isAllowedInFrame)
    }

    // MARK: Ends

    // §7.1.5
    @Test(arguments: [
        ([], false), (ServerFrame.text("whole"), false),
        (ServerFrame.text("a", isFinal: false), true),
        (Array(ServerFrame.text("cut").dropLast()), true), ([0x81], true),
        ([0x81, 0x7E, 0x01], true),
        (Array(ServerFrame.ping("cut").dropLast()), true),
    ])
    func `an end without a close frame is 1006 and tells of a cut message`(
        bytes: [UInt8],
        isCut: Bool
    ) {
        var machine = machine()
        _ = machine.receive(bytes)
        let end = ConnectionEnd(
            code: .abnormalClosure,
            reason: "",
            isClean: false,
            isInsideMessage: isCut
        )
        #expect(machine.receiveEnd() == [.ended(end)])
        #expect(machine.transport == .close)
        #expect(machine.heldByteCount == 0 || machine.hasOutput)
    }

    @Test func `an end behind the own close frame alone is not clean`() throws {
        var machine = machine()
        try machine.close()
        guard case .ended(let end)? = machine.receiveEnd().first else {
            Issue.record("no end")
            return
        }
        #expect(end.code == .abnormalClosure)
        #expect(!end.isClean)
    }

    @Test func `behind an end nothing is read or sent and no second end follows`() {
        var machine = machine()
        _ = machine.receiveEnd()
        #expect(machine.receive(ServerFrame.text("late")) == [])
        #expect(machine.receiveEnd() == [])
        #expect(throws: SendRefusal.hasEnded) { try machine.send(Message(text: "late")) }
        #expect(throws: SendRefusal.hasEnded) { try machine.close() }
    }

    @Test func `the answer to a close frame stays when the server ends its side at once`() throws {
        var machine = machine()
        _ = machine.receive(ServerFrame.close(1001))
        _ = machine.receiveEnd()
        #expect(try frames(of: &machine) == [.close(1001)])
    }

    @Test func `a copy of a machine goes its own way`() throws {
        var machine = machine()
        _ = machine.receive(ServerFrame.text("a", isFinal: false))
        var copy = machine
        #expect(machine.receive(ServerFrame.next("b")) == [.text("ab")])
        #expect(copy.receive(ServerFrame.next("c")) == [.text("ac")])
    }
}
