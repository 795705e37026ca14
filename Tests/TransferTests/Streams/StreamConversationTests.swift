import SystemKit
import Testing
import TransferModel

@testable import Transfer

/// The steps of streams as a value: without socket, file or clock.
@Suite struct StreamConversationTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func conversation(
        _ steps: [StreamStep],
        idleLimit: Duration? = .seconds(60)
    ) -> StreamConversation {
        let clock = RunClock(
            wall: Timestamp(microseconds: 0),
            monotonic: start,
            maximumSkewMicroseconds: 0
        )
        return StreamConversation(
            StreamSpec(isSecure: false, steps: steps),
            .init(clock: clock, idleLimit: idleLimit.map { TimeLimit(.timeoutInterval, $0) }),
            at: start
        )
    }

    /// Reads with one step, in the given pieces.
    private static func read(
        _ reading: StreamReading,
        _ pieces: [String],
        ends: Bool = false
    ) -> StreamConversation {
        var conversation = conversation([StreamStep(.read(reading))])
        for piece in pieces { conversation.receive(Array(piece.utf8).span, at: start) }
        if ends { conversation.receiveEnd(at: start) }
        return conversation
    }

    private static func pieces(_ text: String, of count: Int) -> [String] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: count).map {
            String(decoding: bytes[$0..<min($0 + count, bytes.count)], as: UTF8.self)
        }
    }

    @Test(arguments: 1...12)
    func `an end is found whatever the pieces in which bytes arrive`(size: Int) {
        let text = "220 ready\r\n250-a\r\n\r250 b\r\nrest"
        let cases: [(StreamReading.End, String)] = [
            (.count(5), "220 r"), (.delimiter(Array("\r\n".utf8)), "220 ready"),
            (.delimiter(Array("\r\n\r".utf8)), "220 ready\r\n250-a"),
            (.line(pattern: "^250 |0 b$"), "220 ready\r\n250-a\r\n\r250 b"),
            (.closed, text),
        ]
        for (end, expected) in cases {
            let reading = StreamReading(until: end, text: expected)
            let conversation = Self.read(reading, Self.pieces(text, of: size), ends: true)
            #expect(conversation.isOver)
            #expect(conversation.failure == nil, "\(String(describing: conversation.failure))")
            #expect(conversation.record.steps.first?.byteCount == Int64(expected.utf8.count))
        }
    }

    @Test func `a range takes what has arrived, up to its upper bound`() {
        let reading = StreamReading(until: .range(3...5), text: "abcde")
        #expect(Self.read(reading, ["ab"]).isOver == false)
        #expect(Self.read(reading, ["ab", "cdef"]).failure == nil)
        let short = StreamReading(until: .range(3...5), text: "abc")
        #expect(Self.read(short, ["ab", "c", "d"]).failure == nil)
    }

    @Test func `what a step does not take is left for the next one`() {
        var conversation = Self.conversation([
            StreamStep(.read(StreamReading(until: .count(2), text: "ab"))),
            StreamStep(.read(StreamReading(until: .delimiter([10]), text: "cd"))),
            StreamStep(.read(StreamReading(until: .closed, text: "ef"))),
        ])
        conversation.receive(Array("abcd\nef".utf8).span, at: Self.start)
        conversation.receiveEnd(at: Self.start)
        #expect(conversation.isOver && conversation.failure == nil)
        #expect(conversation.record.steps.map(\.byteCount) == [2, 2, 2])
        #expect(conversation.record.isClosedByPeer)
    }

    @Test(arguments: [
        StreamReading.End.delimiter([10]), .line(pattern: "x"), .closed,
    ])
    func `a flood ends the step at its largest size`(end: StreamReading.End) {
        var conversation = Self.conversation([
            StreamStep(.read(StreamReading(until: end, maximumSize: 100_000)))
        ])
        let piece = [UInt8](repeating: 65, count: 60_000)
        conversation.receive(piece.span, at: Self.start)
        #expect(conversation.failure == nil && conversation.wantsInput)
        conversation.receive(piece.span, at: Self.start)
        #expect(conversation.failure?.kind == .tooLarge)
    }

    @Test func `a step that sends stops to read ahead`() {
        var conversation = Self.conversation([StreamStep(.write(.bytes([1])))])
        _ = conversation.takeOutput()
        let piece = [UInt8](repeating: 65, count: 64 << 10)
        for _ in 0..<4 {
            #expect(conversation.wantsInput)
            conversation.receive(piece.span, at: Self.start)
        }
        #expect(!conversation.wantsInput)
        conversation.didWrite(at: Self.start)
        #expect(conversation.isOver && conversation.failure == nil)
    }

    @Test func `a failure names its step, its bytes and the expectation`() {
        let reading = StreamReading(until: .delimiter(Array("\r\n".utf8)), pattern: "^250")
        let mismatch = Self.read(reading, ["554 no\r\n"]).failure
        #expect(mismatch?.kind == .content)
        #expect(
            mismatch?.detail == "step 1 (`read`): got “554 no”, which `^250` does not match"
        )
        let cut = Self.read(reading, ["25"], ends: true)
        #expect(cut.failure?.kind == .truncated)
        #expect(cut.failure?.detail.contains("closed the connection after 2 bytes") == true)
        #expect(cut.failure?.isKnownUnprocessed == true)
        #expect(cut.record.steps.map(\.outcome) == [.failed])
    }

    @Test func `a conversation that has sent anything is not known to be unprocessed`() {
        var conversation = Self.conversation([
            StreamStep(.write(.bytes([1, 2]))),
            StreamStep(.read(StreamReading(until: .count(1)))),
        ])
        #expect(conversation.takeOutput() == [1, 2])
        conversation.didWrite(at: Self.start)
        conversation.receiveEnd(at: Self.start)
        #expect(conversation.failure?.followsMessages == true)
        #expect(conversation.failure?.isKnownUnprocessed == false)
    }

    @Test func `a step ends at its own time, and any step after silence`() {
        let reading = StreamReading(until: .count(10))
        var limited = Self.conversation([StreamStep(.read(reading), timeout: .seconds(5))])
        #expect(limited.nextTime == Self.start + .seconds(5))
        limited.receive([1].span, at: Self.start + .seconds(4))
        limited.tick(at: Self.start + .seconds(5))
        #expect(limited.failure?.detail == "step 1 (`read`): exceeded its `timeout` of 5000 ms")

        var silent = Self.conversation([StreamStep(.read(reading))], idleLimit: .seconds(3))
        silent.receive([1].span, at: Self.start + .seconds(2))
        silent.tick(at: Self.start + .seconds(4))
        #expect(silent.failure == nil)
        silent.tick(at: Self.start + .seconds(5))
        #expect(
            silent.failure?.detail == "step 1 (`read`): nothing moved within `timeoutInterval: 3s`"
        )
    }

    // CVE-2011-0411
    @Test func `bytes that arrive before TLS are refused`() {
        let answer = StreamReading(until: .delimiter(Array("\r\n".utf8)), text: "220 go")
        let steps = [StreamStep(.read(answer)), StreamStep(.startSecureConnection)]
        var clean = Self.conversation(steps)
        clean.receive(Array("220 go\r\n".utf8).span, at: Self.start)
        #expect(clean.wantsSecurity && clean.failure == nil)
        clean.didSecure(with: nil, at: Self.start)
        #expect(clean.isOver && clean.failure == nil)

        var injected = Self.conversation(steps)
        injected.receive(Array("220 go\r\n250 injected\r\n".utf8).span, at: Self.start)
        #expect(injected.failure?.kind == .protocolViolation)
        #expect(injected.failure?.isPermanent == true)
        #expect(injected.failure?.detail.contains("14 bytes had arrived before TLS") == true)
    }

    @Test func `a file is asked for in pieces and sent in order`() {
        var conversation = Self.conversation([StreamStep(.write(.file(path: "/f")))])
        #expect(conversation.wantedFile?.offset == 0)
        conversation.send(piece: [1, 2], isLast: false, at: Self.start)
        #expect(conversation.wantedFile == nil)
        #expect(conversation.takeOutput() == [1, 2])
        conversation.didWrite(at: Self.start)
        #expect(conversation.wantedFile?.offset == 2)
        conversation.send(piece: [], isLast: true, at: Self.start)
        #expect(conversation.isOver && conversation.failure == nil)
        #expect(conversation.record.steps.first?.byteCount == 2)
    }

    @Test func `bytes for a file are handed on, and closing the read side drops the rest`() {
        let reading = StreamReading(until: .count(3), maximumSize: nil, isForFile: true)
        var conversation = Self.conversation([
            StreamStep(.read(reading)), StreamStep(.closeRead),
            StreamStep(.write(.bytes([9]))),
        ])
        conversation.receive([1, 2, 3, 4].span, at: Self.start)
        #expect(conversation.takeFileBytes() == [1, 2, 3])
        conversation.receive([5].span, at: Self.start)
        #expect(conversation.takeOutput() == [9])
        conversation.didWrite(at: Self.start)
        #expect(conversation.isOver && conversation.takeFileBytes().isEmpty)
    }
}
