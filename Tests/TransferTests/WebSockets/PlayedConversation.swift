import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// A conversation whose server, clock and files are values of a test.
struct PlayedConversation {
    private(set) var conversation: WebSocketConversation
    /// The frames that the client has sent so far.
    private(set) var frames: [ClientFrame] = []
    /// The lines of JSON so far.
    private(set) var lines = ""
    private(set) var time = MonotonicTime(nanoseconds: 0)
    /// The contents of files by their paths.
    var files: [String: [UInt8]] = [:]

    init(
        _ steps: [WebSocketStep],
        maximumMessageSize: Int = 1 << 20,
        idleLimit: Duration? = .seconds(60),
        writesLines: Bool = false
    ) {
        let clock = RunClock(
            wall: Timestamp(microseconds: 0),
            monotonic: MonotonicTime(nanoseconds: 0),
            maximumSkewMicroseconds: 0
        )
        conversation = WebSocketConversation(
            WebSocketSpec(maximumMessageSize: maximumMessageSize, steps: steps),
            .init(clock: clock, idleLimit: idleLimit.map { TimeLimit(.timeoutInterval, $0) }),
            writesLines: writesLines,
            at: MonotonicTime(nanoseconds: 0),
            maskingKeys: SplitMix64(seed: 6455)
        )
    }

    /// The same conversation after its client has sent all that it can.
    mutating func flush() throws {
        while true {
            if let wanted = conversation.wantedFile {
                let bytes = try #require(files[wanted.path])
                let start = Int(wanted.offset)
                let end = min(start + RunningConversation.pieceLimit, bytes.count)
                let piece = Array(bytes[start..<end])
                conversation.send(piece: piece, isLast: end == bytes.count, at: time)
            } else if conversation.hasOutput {
                let output = conversation.takeOutput()
                frames += try #require(ClientFrame.read(output))
                conversation.didWrite(at: time)
            } else {
                break
            }
        }
        lines += String(decoding: conversation.takeFileBytes(), as: UTF8.self)
    }

    /// The connection has taken the output that the test took itself.
    mutating func conversationDidWrite() { conversation.didWrite(at: time) }

    /// Takes output without writing it.
    mutating func takeOutput() -> [UInt8] { conversation.takeOutput() }

    /// The server sends these frames at once.
    mutating func serve(_ frames: [UInt8]...) throws {
        try flush()
        let bytes = Array(frames.joined())
        conversation.receive(bytes.span, at: time)
        try flush()
    }

    /// The connection ends.
    mutating func end() throws {
        try flush()
        conversation.receiveEnd(at: time)
        try flush()
    }

    /// Time passes.
    mutating func pass(_ duration: Duration) throws {
        try flush()
        time = time + duration
        conversation.tick(at: time)
        try flush()
    }

    /// The record of the conversation.
    var record: WebSocketRecord { conversation.record }

    /// The names and outcomes of the steps that have ended.
    var steps: [String] {
        record.steps.map { "\($0.name.rawValue) \($0.outcome.rawValue)" }
    }

    /// The failure's sentence; nil without a failure.
    var fault: String? { conversation.failure?.detail }
}

extension WebSocketStep {
    static func send(_ text: String, count: Int = 1) -> WebSocketStep {
        WebSocketStep(.send(OutgoingMessage(.text, .bytes(Array(text.utf8))), count: count))
    }

    static func send(file: String, as type: MessageType = .binary) -> WebSocketStep {
        WebSocketStep(.send(OutgoingMessage(type, .file(path: file)), count: 1))
    }

    static func receive(
        _ end: Receiving.End = .count(1),
        expecting expectation: MessageExpectation = MessageExpectation(),
        closeCodes: [UInt16] = [],
        captures: [Capture] = [],
        within timeout: Duration? = nil
    ) -> WebSocketStep {
        WebSocketStep(
            .receive(
                Receiving(
                    until: end,
                    expecting: expectation,
                    closeCodes: closeCodes,
                    captures: captures
                )
            ),
            timeout: timeout
        )
    }

    static func ping(_ text: String = "") -> WebSocketStep {
        WebSocketStep(.ping(Array(text.utf8)))
    }

    static let close = WebSocketStep(.close(ClosingRule()))
    static let impliedClose = WebSocketStep(.close(ClosingRule(isImplied: true)))
}
