internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The steps of a WebSocket task over a connection whose handshake is complete.
///
/// A value. Its memory is bounded by twice the largest message, by the bytes that one step sends at
/// once and by a constant.
struct WebSocketConversation: Conversation {
    /// Next states: `running` → `ending`, `over`; `ending` → `over`.
    private enum Phase {
        case running
        /// The result is decided; the output leaves, and the server closes until then.
        case ending(until: MonotonicTime)
        case over
    }

    /// The progress of a step.
    private enum Progress {
        case waits
        case isDone
    }

    /// The state of the running step beside its progress.
    private struct StepState {
        /// The position in the file of the message that is being sent.
        var fileOffset: Int64 = 0
        /// Whether the server has answered the step's ping.
        var isAnswered = false
        /// The last message that the step took and that met its conditions; only if it has
        /// captures.
        var last: ReceivedMessage?
    }

    /// Whether received messages become lines of JSON.
    private let writesLines: Bool
    private var machine: WebSocketMachine
    private var phase = Phase.running
    private var steps: StepRun<WebSocketStep>
    private var state = StepState()
    private var inbox: MessageInbox
    /// Bytes of payload in the output that the caller has not written yet.
    private var unwritten = 0
    private var formatter = TimestampFormatter()
    private var lines: [UInt8] = []
    /// The record without its steps, which `StepRun` keeps.
    private var tally: WebSocketRecord
    private var sentBytes: Int64 = 0
    private var receivedBytes: Int64 = 0
    /// The rule of the protocol that the server has broken; nil for none.
    private var fault: WebSockets.ProtocolFault?
    private var hasConnectionEnded = false
    /// Whether a step has expected the code of the server's Close frame.
    private var hasAcceptedClose = false
    private(set) var captured: [CapturedValue] = []

    /// The output of which a step waits until it is written, bytes.
    private static let outputLimit = 256 << 10
    /// The most bytes of a frame beside its payload.
    private static let frameSize = 14
    /// How long the end awaits that the server closes the connection below (RFC 6455 §7.1.1).
    private static let endLimit = Duration.seconds(1)

    /// Begins the first step of a task.
    init(
        _ spec: WebSocketSpec,
        _ setting: ConversationSetting,
        subprotocol: String? = nil,
        writesLines: Bool = false,
        at now: MonotonicTime,
        maskingKeys: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.writesLines = writesLines
        machine = WebSocketMachine(
            maximumMessageSize: spec.maximumMessageSize,
            maskingKeys: maskingKeys
        )
        steps = StepRun(spec.steps, setting, at: now)
        inbox = MessageInbox(limit: max(spec.maximumMessageSize, 1 << 20))
        tally = WebSocketRecord(
            subprotocol: subprotocol,
            closeCode: Int(CloseCode.abnormalClosure.rawValue),
            isClean: false,
            steps: []
        )
        beginStep(at: now)
        advance(at: now)
    }

    // MARK: State

    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether the result is decided.
    var isDecided: Bool { if case .running = phase { false } else { true } }

    var wantsInput: Bool {
        switch phase {
        case .running: !inbox.isFull
        case .ending: true
        case .over: false
        }
    }

    var hasOutput: Bool { machine.hasOutput }
    var failure: TransferFailure? { steps.failure }

    var wantedFile: WantedFile? {
        guard case .running = phase, unwritten < Self.outputLimit, machine.isOpen,
            case .send(let message, let count)? = action,
            steps.progress.messageCount < count, case .file(let path) = message.content
        else { return nil }
        return WantedFile(
            path: path,
            offset: state.fileOffset,
            isWantedAgain: steps.progress.messageCount + 1 < count
        )
    }

    var nextTime: MonotonicTime? {
        switch phase {
        case .running: steps.nextTime
        case .ending(let time): time
        case .over: nil
        }
    }

    /// The record of the conversation; complete once the result is decided.
    var record: WebSocketRecord {
        var record = tally
        record.steps = steps.records
        return record
    }

    func complete(_ result: inout AttemptResult) {
        result.conversation = .webSocket(record)
        result.countOfBytesSent = sentBytes
        result.countOfBytesReceived = receivedBytes
        if result.failure == nil {
            result.captured = captured
        } else if result.failure?.kind == .content {
            result.checks = [
                .init(.clientError, passed: true),
                .init(.statusCode, passed: true, expected: "101", actual: "101"),
                .init(.content, passed: false, actual: result.failure?.detail),
            ]
        }
    }

    // MARK: Events

    mutating func takeOutput() -> [UInt8] { machine.takeOutput() }

    /// Returns lines of JSON and forgets them.
    mutating func takeFileBytes() -> [UInt8] {
        defer { lines = [] }
        return lines
    }

    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        steps.lastActivity = now
        for event in machine.receive(bytes) { take(event, at: now) }
        advance(at: now)
    }

    /// Takes the end of the connection, whichever side has closed it.
    mutating func receiveEnd(at now: MonotonicTime) {
        for event in machine.receiveEnd() { take(event, at: now) }
        advance(at: now)
        if !isDecided { fail(with: faults.endOfConnection, at: now) }
        phase = .over
    }

    mutating func didWriteSome(at now: MonotonicTime) { steps.lastActivity = now }
    mutating func excuseSilence(at now: MonotonicTime) { steps.lastActivity = now }

    mutating func didWrite(at now: MonotonicTime) {
        steps.lastActivity = now
        unwritten = 0
        advance(at: now)
    }

    mutating func send(piece: [UInt8], isLast: Bool, at now: MonotonicTime) {
        guard case .send(let message, _)? = action else { return }
        do throws(TransferFailure) {
            try send(piece, of: message.type, isFinal: isLast)
        } catch {
            return fail(with: error, at: now)
        }
        state.fileOffset += Int64(piece.count)
        if isLast {
            didSend(Int(state.fileOffset))
            state.fileOffset = 0
        }
        advance(at: now)
    }

    mutating func tick(at now: MonotonicTime) {
        switch phase {
        case .over: return
        case .ending(let time): if now >= time { phase = .over }
        case .running:
            switch steps.due(at: now) {
            case .duration?: finishReceiving(at: now)
            case .limit(let limit)?: overrun(limit, at: now)
            case .silence(let limit)?:
                fail(with: faults.silence(limit), at: now)
            case nil: break
            }
        }
    }

    /// A connection that is lost has no more to say.
    mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
        fail(with: failure, at: now)
        receiveEnd(at: now)
    }

    // MARK: Steps

    private var action: WebSocketStep.Action? { steps.current?.action }

    private mutating func take(_ event: ConnectionEvent, at now: MonotonicTime) {
        switch event {
        case .message(let message):
            tally.receivedMessageCount += 1
            receivedBytes += Int64(message.bytes.count)
            // After the client's Close frame no step takes messages.
            guard !isClosing, !isDecided else { return }
            inbox.append(ReceivedMessage(message, at: steps.date(of: now)))
        case .ping: tally.receivedPingCount += 1
        case .pong(_, let answered): if answered > 0 { state.isAnswered = true }
        case .closing(let closing):
            tally.closeCode = Int((closing.code ?? .noStatusReceived).rawValue)
            tally.closeReason = closing.reason
            // The client always answers, or has closed first.
            tally.isClean = true
        case .failed(let fault):
            // Messages before the fault may still complete the step.
            self.fault = fault
            advance(at: now)
            if !isDecided { fail(with: faults.endOfConnection, at: now) }
        case .ended: hasConnectionEnded = true
        }
    }

    /// Whether the running step closes the connection.
    private var isClosing: Bool { if case .close? = action { true } else { false } }

    private mutating func beginStep(at now: MonotonicTime) {
        state = StepState()
        do throws(SendRefusal) {
            switch action {
            case .send?, .receive?, nil: break
            case .ping(let payload)?: try machine.ping(payload)
            case .close(let rule)?:
                inbox.removeAll()
                // The server may have been first.
                guard machine.isOpen else { break }
                let code = rule.code.map { CloseCode(rawValue: $0) }
                try machine.close(code: code, reason: rule.reason)
                steps.progress.closeCode = rule.code.map { Int($0) }
            }
        } catch {
            fail(with: faults.refusal(error), at: now)
        }
    }

    /// Runs steps until one waits.
    private mutating func advance(at now: MonotonicTime) {
        while case .running = phase {
            do throws(TransferFailure) {
                guard case .isDone = try run() else { return }
            } catch {
                return fail(with: error, at: now)
            }
            endStep(at: now)
        }
    }

    /// Ends the running step, and begins the next one or the end.
    private mutating func endStep(at now: MonotonicTime) {
        steps.endStep(at: now)
        if steps.current == nil {
            phase = .ending(until: now + Self.endLimit)
        } else {
            beginStep(at: now)
        }
    }

    private mutating func run() throws(TransferFailure) -> Progress {
        switch action {
        case .send(let message, let count)?: return try send(message, count)
        case .receive(let receiving)?: return try receive(receiving)
        case .ping?:
            if state.isAnswered { return .isDone }
            guard machine.isOpen else { throw faults.endOfConnection }
            return .waits
        case .close(let rule)?:
            guard tally.isClean else { return .waits }
            return try didClose(accepting: rule.expectedCodes, own: rule.code)
        case nil: return .waits
        }
    }

    private mutating func send(
        _ message: OutgoingMessage,
        _ count: Int
    ) throws(TransferFailure) -> Progress {
        while steps.progress.messageCount < count, unwritten < Self.outputLimit {
            guard machine.isOpen else { throw faults.endOfConnection }
            // `wantedFile` asks for the bytes of files.
            guard case .bytes(let bytes) = message.content else { return .waits }
            try send(bytes, of: message.type, isFinal: true)
            didSend(bytes.count)
        }
        return steps.progress.messageCount == count && unwritten == 0 ? .isDone : .waits
    }

    private mutating func send(
        _ fragment: [UInt8],
        of type: MessageType,
        isFinal: Bool
    ) throws(TransferFailure) {
        do throws(SendRefusal) {
            try machine.send(
                fragment: fragment.span,
                of: type == .text ? .text : .binary,
                isFinal: isFinal
            )
        } catch {
            throw faults.refusal(error)
        }
        unwritten += fragment.count + Self.frameSize
    }

    private mutating func didSend(_ count: Int) {
        steps.progress.count(message: count)
        tally.sentMessageCount += 1
        sentBytes += Int64(count)
    }

    private mutating func receive(_ receiving: Receiving) throws(TransferFailure) -> Progress {
        while let message = inbox.take() {
            var message = message
            if try accept(&message, receiving) {
                return try didReceive(receiving)
            }
        }
        guard machine.transport != .read else { return .waits }
        // The server's Close frame, its fault or the end of the connection: no message follows.
        guard case .closed = receiving.end, tally.isClean else { throw faults.endOfConnection }
        if case .waits = try didClose(accepting: receiving.closeCodes, own: nil) { return .waits }
        return try didReceive(receiving)
    }

    /// Takes a message; true when the step has all of its messages.
    private mutating func accept(
        _ message: inout ReceivedMessage,
        _ receiving: Receiving
    ) throws(TransferFailure) -> Bool {
        steps.progress.count(message: message.message.bytes.count)
        if writesLines { message.appendLine(to: &lines, &formatter) }
        var isLast = false
        switch receiving.end {
        case .count(let count): isLast = steps.progress.messageCount == count
        case .match(let condition):
            isLast = message.mismatch(condition) == nil
            guard isLast else { return false }
        case .closed, .time: break
        }
        if let mismatch = message.mismatch(receiving.expectation) {
            throw faults.unexpected(mismatch)
        }
        if !receiving.captures.isEmpty { state.last = message }
        return isLast
    }

    /// Completes a step that has its messages.
    private mutating func didReceive(_ receiving: Receiving) throws(TransferFailure) -> Progress {
        guard !receiving.captures.isEmpty else { return .isDone }
        guard var last = state.last else {
            throw faults.unexpected(.init(expected: "a message for `capture`", actual: "none"))
        }
        do throws(ReceivedMessage.Mismatch) {
            captured += try last.values(of: receiving.captures)
        } catch {
            throw faults.unexpected(error)
        }
        return .isDone
    }

    /// Completes a step that ends with the server's Close frame.
    private mutating func didClose(
        accepting codes: [UInt16],
        own: UInt16?
    ) throws(TransferFailure) -> Progress {
        guard tally.isClean, let code = tally.closeCode else { return .waits }
        steps.progress.closeCode = code
        let accepted = codes.isEmpty ? ClosingRule.usualCodes + (own.map { [$0] } ?? []) : codes
        guard hasAcceptedClose || accepted.contains(where: { $0 == code }) else {
            var failure = faults.endOfConnection
            failure.kind = .content
            failure.isPermanent = true
            throw failure
        }
        hasAcceptedClose = true
        return .isDone
    }

    /// Ends a step that has received for long enough.
    private mutating func finishReceiving(at now: MonotonicTime) {
        guard case .receive(let receiving)? = action else { return }
        do throws(TransferFailure) {
            _ = try didReceive(receiving)
        } catch {
            return fail(with: error, at: now)
        }
        endStep(at: now)
        // Silence counts from the step's end.
        steps.lastActivity = now
        advance(at: now)
    }

    // MARK: Ends

    private mutating func overrun(_ limit: Int64, at now: MonotonicTime) {
        guard !isImpliedClose else {
            steps.endStep(at: now)
            phase = .over
            return
        }
        fail(with: faults.timeout("it took longer than \(limit) ms (`timeout`)"), at: now)
    }

    /// Ends the conversation with a failure, and tells the server so if the connection is open.
    mutating func fail(with failure: TransferFailure, at now: MonotonicTime) {
        guard case .running = phase else { return }
        if isImpliedClose, fault == nil, failure.kind != .content {
            // The task itself has done all of its steps.
            return endStep(at: now)
        }
        var failure = failure
        failure.followsMessages = tally.sentMessageCount > 0
        steps.fail(with: failure, at: now)
        if machine.isOpen { try? machine.close(code: .goingAway) }
        phase = hasConnectionEnded ? .over : .ending(until: now + Self.endLimit)
    }

    private var isImpliedClose: Bool {
        if case .close(let rule)? = action { rule.isImplied } else { false }
    }

    /// The failures that the running step can end with.
    private var faults: WebSocketFaults {
        WebSocketFaults(
            step: steps.current?.name ?? .close,
            messageCount: steps.progress.messageCount,
            isInboxFull: inbox.isFull,
            fault: fault,
            tally: tally
        )
    }
}
