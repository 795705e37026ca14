import JSON
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct WebSocketConversationTests {
    @Test func `steps run one after the other until both sides have closed`() throws {
        var played = PlayedConversation([.send("hello"), .receive(), .ping("p"), .close])
        try played.flush()
        #expect(played.frames == [.text("hello")])
        try played.serve(ServerFrame.text("world"))
        #expect(played.frames.dropFirst() == [.ping("p")])
        try played.serve(ServerFrame.pong("p"))
        #expect(played.frames.dropFirst(2) == [.close(1000)])
        #expect(!played.conversation.isDecided)
        try played.serve(ServerFrame.close(1000))
        #expect(played.conversation.isDecided && !played.conversation.isOver)
        try played.end()
        #expect(played.conversation.isOver && played.fault == nil)
        #expect(
            played.steps == [
                "send succeeded", "receive succeeded", "ping succeeded", "close succeeded",
            ]
        )
        #expect(played.record.closeCode == 1000 && played.record.isClean)
        #expect(played.record.steps.map(\.messageCount) == [1, 1, 0, 0])
        #expect(played.record.steps.map(\.byteCount) == [5, 5, 0, 0])
    }

    @Test func `messages that arrive early wait for their step`() throws {
        var played = PlayedConversation([.ping(), .receive(.count(2)), .close])
        try played.serve(ServerFrame.text("a"), ServerFrame.text("b"), ServerFrame.pong(""))
        #expect(played.steps == ["ping succeeded", "receive succeeded"])
        #expect(played.record.receivedMessageCount == 2)
    }

    @Test func `a message is sent as often as its count says, without growing memory`() throws {
        let text = String(repeating: "x", count: 60_000)
        var played = PlayedConversation([.send(text, count: 20), .close])
        #expect(played.takeOutput().count < 400_000)
        played.conversationDidWrite()
        try played.flush()
        try played.serve(ServerFrame.close(1000))
        #expect(played.record.sentMessageCount == 20)
    }

    @Test func `a file goes out in fragments of one message`() throws {
        var played = PlayedConversation([.send(file: "/f"), .close])
        let content = (0..<150_000).map { UInt8(truncatingIfNeeded: $0) }
        played.files["/f"] = content
        try played.flush()
        let fragments = played.frames.dropLast()
        #expect(fragments.map(\.opcode) == [2, 0, 0])
        #expect(fragments.map(\.isFinal) == [false, false, true])
        #expect(fragments.flatMap(\.payload) == content)
        #expect(played.frames.last == .close(1000))
        #expect(played.record.steps.first?.byteCount == 150_000)
    }

    @Test func `an empty file is an empty message`() throws {
        var played = PlayedConversation([.send(file: "/f", as: .text), .close])
        played.files["/f"] = []
        try played.flush()
        #expect(played.frames == [.text(""), .close(1000)])
    }

    @Test func `a text message from a file that is not UTF-8 is not sent`() throws {
        var played = PlayedConversation([.send(file: "/f", as: .text), .close])
        played.files["/f"] = [0x61, 0xFF]
        try played.flush()
        #expect(played.fault == "step 1 (`send`): the text is not UTF-8")
        #expect(played.frames == [.close(1001)])
    }

    // MARK: Receiving

    private static func json(_ pointer: String, _ value: String) throws -> MessageExpectation {
        var expectation = MessageExpectation()
        let pointer = try #require(JSONPointer(pointer))
        expectation.json = [.init(pointer, value: try JSONValue(value))]
        return expectation
    }

    @Test func `receiving until a match passes over other messages`() throws {
        let done = try Self.json("/type", "\"done\"")
        var played = PlayedConversation([.receive(.match(done)), .close])
        try played.serve(
            ServerFrame.text("{\"type\":\"tick\"}"),
            ServerFrame.text("no JSON"),
            ServerFrame.make(ServerFrame.binary, [0, 1]),
            ServerFrame.text("{ \"type\" : \"done\" }"),
            ServerFrame.text("later")
        )
        #expect(played.steps == ["receive succeeded"])
        #expect(played.record.steps[0].messageCount == 4)
    }

    @Test func `receiving for a time ends when the time is over, with or without messages`() throws
    {
        var played = PlayedConversation(
            [.receive(.time(.seconds(90))), .receive(.time(.seconds(1))), .close],
            idleLimit: .seconds(60)
        )
        try played.serve(ServerFrame.text("a"))
        #expect(played.conversation.nextTime == .init(nanoseconds: 90_000_000_000))
        try played.pass(.seconds(90))
        try played.pass(.seconds(1))
        #expect(played.steps == ["receive succeeded", "receive succeeded"])
        #expect(played.frames == [.close(1000)])
    }

    @Test func `receiving until the server closes succeeds with a usual code`() throws {
        var played = PlayedConversation([.receive(.closed), .impliedClose])
        try played.serve(
            ServerFrame.text("a"),
            ServerFrame.text("b"),
            ServerFrame.close(1001, "restart")
        )
        try played.end()
        #expect(played.fault == nil)
        #expect(played.steps == ["receive succeeded", "close succeeded"])
        #expect(played.record.closeCode == 1001 && played.record.closeReason == "restart")
        #expect(played.frames == [.close(1001)])
    }

    @Test(arguments: [([UInt16](), true), ([4000], false), ([1000], true)])
    func `an unusual close code is a failure unless the step expects it`(
        expected: [UInt16],
        fails: Bool
    ) throws {
        var played = PlayedConversation(
            [.receive(.closed, closeCodes: expected), .impliedClose]
        )
        try played.serve(ServerFrame.close(4000, "quota"))
        #expect((played.fault != nil) == fails)
        if fails {
            #expect(
                played.fault
                    == "step 1 (`receive`): the server closed the connection with 4000 (“quota”)"
            )
            #expect(played.conversation.failure?.kind == .content)
        }
    }

    @Test func `a message that is not as expected fails the step`() throws {
        var played = PlayedConversation(
            [.receive(.count(2), expecting: try Self.json("/ok", "true")), .close]
        )
        try played.serve(ServerFrame.text("{\"ok\":true}"), ServerFrame.text("{\"ok\":1}"))
        #expect(
            played.fault == "step 1 (`receive`): message 2 is 1 instead of `/ok` to be true"
        )
        #expect(played.frames == [.close(1001)])
        #expect(played.steps == ["receive failed"])
    }

    @Test func `each condition of an expectation is checked`() throws {
        var text = MessageExpectation()
        text.text = "yes"
        var binary = MessageExpectation()
        binary.type = .binary
        var pattern = MessageExpectation()
        pattern.pattern = "^[0-9]+$"
        for (expectation, right, wrong) in [
            (text, ServerFrame.text("yes"), ServerFrame.text("yes!")),
            (binary, ServerFrame.make(ServerFrame.binary, [1]), ServerFrame.text("1")),
            (pattern, ServerFrame.text("42"), ServerFrame.text("x42")),
        ] {
            var played = PlayedConversation([.receive(expecting: expectation), .close])
            try played.serve(right)
            #expect(played.fault == nil)
            played = PlayedConversation([.receive(expecting: expectation), .close])
            try played.serve(wrong)
            #expect(played.fault?.hasPrefix("step 1 (`receive`): message 1 is ") == true)
        }
    }

    @Test func `captures come from the last message of a step`() throws {
        let pointer = try #require(JSONPointer("/id"))
        var played = PlayedConversation([
            .receive(.count(2), captures: [Capture("id", from: .json(pointer))]), .close,
        ])
        try played.serve(ServerFrame.text("{\"id\":1}"), ServerFrame.text("{\"id\":2}"))
        #expect(played.conversation.captured == [CapturedValue("id", "2", .number)])
    }

    @Test func `received messages become lines of JSON`() throws {
        var played = PlayedConversation([.receive(.count(3)), .close], writesLines: true)
        try played.serve(
            ServerFrame.text("{\n \"a\": 1.50 }"),
            ServerFrame.text("line\n\"two\""),
            ServerFrame.make(ServerFrame.binary, [0, 255])
        )
        let date = "\"date\":\"1970-01-01T00:00:00.000000Z\""
        #expect(
            played.lines == """
                {\(date),"json":{  "a": 1.50 }}
                {\(date),"text":"line\\n\\"two\\""}
                {\(date),"base64":"AP8="}

                """
        )
    }

    // MARK: Time

    @Test func `silence and steps that take too long are timeouts`() throws {
        var played = PlayedConversation([.receive(), .close], idleLimit: .seconds(2))
        try played.pass(.seconds(1))
        try played.serve(ServerFrame.ping("still here"))
        try played.pass(.milliseconds(1_500))
        #expect(played.fault == nil)
        try played.pass(.milliseconds(500))
        #expect(played.fault == "step 1 (`receive`): nothing moved within `timeoutInterval: 2s`")
        #expect(played.conversation.failure?.kind == .timeout)

        played = PlayedConversation([.receive(within: .seconds(1)), .close])
        try played.serve(ServerFrame.ping("a"))
        try played.pass(.seconds(1))
        #expect(
            played.fault == "step 1 (`receive`): it took longer than 1000 ms (`timeout`)"
        )
    }

    @Test func `a server that never closes fails an explicit close only`() throws {
        for (step, fault) in [
            (WebSocketStep.close, "step 1 (`close`): it took longer than 10000 ms (`timeout`)"),
            (.impliedClose, nil),
        ] {
            var played = PlayedConversation([step])
            try played.pass(.seconds(10))
            #expect(played.fault == fault)
            #expect(played.record.closeCode == 1006 && !played.record.isClean)
        }
    }

    @Test func `the end waits a second for the server to close the connection below`() throws {
        var played = PlayedConversation([.close])
        try played.serve(ServerFrame.close(1000))
        #expect(!played.conversation.isOver)
        try played.pass(.seconds(1))
        #expect(played.conversation.isOver && played.fault == nil)
    }

    @Test func `unread messages stop the reading until a step takes them`() throws {
        let half = String(repeating: "x", count: 600_000)
        var played = PlayedConversation([.ping(), .receive(.count(2)), .close])
        try played.serve(ServerFrame.text(half))
        #expect(played.conversation.wantsInput)
        try played.serve(ServerFrame.text(half))
        #expect(!played.conversation.wantsInput)
        try played.pass(.seconds(60))
        #expect(played.conversation.failure?.help?.contains("`receive` step") == true)
    }

    // MARK: Faults of the server

    @Test func `a broken rule fails the step and tells the server`() throws {
        var played = PlayedConversation([.ping(), .close])
        try played.serve(ServerFrame.make(ServerFrame.text, [], reserved: 4))
        #expect(
            played.fault == "step 1 (`ping`): the server set the reserved bits 0x40 of a frame"
        )
        #expect(played.conversation.failure?.kind == .protocolViolation)
        #expect(played.frames.last?.payload.prefix(2) == [0x03, 0xEA])
    }

    @Test func `messages before a broken rule complete their step`() throws {
        var played = PlayedConversation([.receive(), .receive(), .close])
        try played.serve(ServerFrame.text("a"), [0xFF])
        #expect(played.steps == ["receive succeeded", "receive failed"])
    }

    @Test func `a message beyond the limit is closed with 1009`() throws {
        var played = PlayedConversation([.receive(), .close], maximumMessageSize: 10)
        try played.serve(ServerFrame.text("elevenbytes"))
        #expect(played.conversation.failure?.kind == .tooLarge)
        #expect(played.conversation.failure?.help == "raise `maximumMessageSize`")
        #expect(played.frames.last?.payload.prefix(2) == [0x03, 0xF1])
    }

    @Test func `a lost connection is a reset, a closed one is truncated`() throws {
        var played = PlayedConversation([.receive(), .close])
        try played.end()
        #expect(
            played.fault == "step 1 (`receive`): the connection ended without a Close frame"
        )
        #expect(played.conversation.failure?.kind == .reset)
        #expect(played.conversation.isOver)

        played = PlayedConversation([.receive(), .close])
        try played.serve(ServerFrame.close(1013))
        #expect(played.conversation.failure?.kind == .truncated)
        #expect(played.conversation.failure?.isPermanent == false)

        played = PlayedConversation([.send("a"), .receive(), .close])
        try played.serve(ServerFrame.close(1008, "no"))
        #expect(played.conversation.failure?.isPermanent == true)
    }

    @Test func `a failure says whether messages were sent before`() throws {
        var played = PlayedConversation([.send("a"), .receive(), .close])
        try played.end()
        #expect(played.conversation.failure?.followsMessages == true)
        played = PlayedConversation([.ping(), .receive(), .close])
        try played.end()
        #expect(played.conversation.failure?.followsMessages == false)
    }

    @Test func `a server that closes first completes the closing of the task`() throws {
        var played = PlayedConversation([.receive(), .close])
        try played.serve(ServerFrame.text("a"), ServerFrame.close(1000, "bye"))
        try played.end()
        #expect(played.fault == nil && played.record.isClean)
        #expect(played.steps == ["receive succeeded", "close succeeded"])
    }
}
