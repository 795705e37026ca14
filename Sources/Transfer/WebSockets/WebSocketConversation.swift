internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The steps of a WebSocket task over an open connection.
///
/// A value without socket, file or clock. The caller gives it the bytes that arrive, writes the
/// bytes of `takeOutput` and reports that with `didWrite`, reads the file of `wantedFile`, and
/// calls `tick` at `nextTime`. Memory is bounded by twice the largest message, by the bytes that
/// one step sends at once and by a constant.
struct WebSocketConversation {
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

    /// How a conversation treats time and messages.
    struct Configuration {
        var clock: RunClock
        /// The longest silence; nil for no limit.
        var idleLimit: Duration?
        /// Whether received messages become lines of JSON.
        var writesLines = false
    }

    private let spec: WebSocketSpec
    private let configuration: Configuration
    private var machine: WebSocketMachine
    private var phase = Phase.running
    private var position = 0
    private var step: StepProgress
    private var inbox: MessageInbox
    private var lastActivity: MonotonicTime
    /// Bytes of payload in the output that the caller has not written yet.
    private var unwritten = 0
    private var formatter = TimestampFormatter()
    private var lines: [UInt8] = []
    private var tally = ConversationTally()
    /// Whether a step has expected the code of the server's Close frame.
    private var hasAcceptedClose = false
    private(set) var captured: [CapturedValue] = []
    /// Why the conversation has failed; nil while it has not.
    private(set) var failure: TransferFailure?

    /// The output of which a step waits until it is written, bytes.
    private static let outputLimit = 256 << 10
    /// The largest fragment of a message from a file, bytes.
    static let pieceLimit = 256 << 10
    /// How long a `close` without a limit of its own awaits the server's Close frame.
    private static let closeLimit = Duration.seconds(10)
    /// How long the end awaits that the server closes the connection below (RFC 6455 §7.1.1).
    private static let endLimit = Duration.seconds(1)

    /// Begins the first step of a task over a connection whose handshake is complete.
    init(
        _ spec: WebSocketSpec,
        _ configuration: Configuration,
        at now: MonotonicTime,
        maskingKeys: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.spec = spec
        self.configuration = configuration
        machine = WebSocketMachine(
            maximumMessageSize: spec.maximumMessageSize,
            maskingKeys: maskingKeys
        )
        step = StepProgress(at: now)
        inbox = MessageInbox(limit: max(spec.maximumMessageSize, 1 << 20))
        lastActivity = now
        beginStep(at: now)
        advance(at: now)
    }

    // MARK: State

    /// Whether nothing is left to do; the caller closes the connection.
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether the result is decided.
    var isDecided: Bool { if case .running = phase { false } else { true } }

    /// Whether the caller should read from the connection.
    var wantsInput: Bool {
        switch phase {
        case .running: !inbox.isFull
        case .ending: true
        case .over: false
        }
    }

    /// Whether `takeOutput` has bytes.
    var hasOutput: Bool { machine.hasOutput }

    /// Returns bytes for the connection and forgets them.
    mutating func takeOutput() -> [UInt8] { machine.takeOutput() }

    /// Returns lines of JSON for the file and forgets them.
    mutating func takeLines() -> [UInt8] {
        defer { lines = [] }
        return lines
    }

    /// The file, and the place in it, from which the caller reads up to `pieceLimit` bytes for
    /// `send(piece:isLast:)`; nil when no step wants one.
    var wantedFile: (path: String, offset: Int64)? {
        guard case .running = phase, unwritten < Self.outputLimit, machine.isOpen,
            case .send(let message, let count) = spec.steps[position].action,
            step.messageCount < count, case .file(let path) = message.content
        else { return nil }
        return (path, step.fileOffset)
    }

    /// When the caller calls `tick`; nil for never.
    var nextTime: MonotonicTime? {
        switch phase {
        case .running: [stepLimit, receiveEnd, idleEnd].compactMap(\.self).min()
        case .ending(let time): time
        case .over: nil
        }
    }

    /// The record of the conversation; complete once the result is decided.
    func record(subprotocol: String?) -> WebSocketRecord {
        tally.record(subprotocol: subprotocol)
    }

    /// The messages that were sent, and their bytes.
    var sent: (messages: Int, bytes: Int64) { (tally.sentMessages, tally.sentBytes) }

    /// The bytes of the messages that have arrived.
    var receivedBytes: Int64 { tally.receivedBytes }

    // MARK: Events

    /// Takes bytes from the connection.
    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        lastActivity = now
        for event in machine.receive(bytes) { take(event, at: now) }
        advance(at: now)
    }

    /// Takes the end of the connection, whichever side has closed it.
    mutating func receiveEnd(at now: MonotonicTime) {
        for event in machine.receiveEnd() { take(event, at: now) }
        advance(at: now)
        if !isDecided { fail(faults.endOfConnection, at: now) }
        phase = .over
    }

    /// Notes that the connection has taken a part of the output.
    mutating func didWriteSome(at now: MonotonicTime) { lastActivity = now }

    /// The runner itself has kept the conversation from moving bytes.
    mutating func excuseSilence(at now: MonotonicTime) { lastActivity = now }

    /// Notes that the connection has taken all output that `takeOutput` returned.
    mutating func didWrite(at now: MonotonicTime) {
        lastActivity = now
        unwritten = 0
        advance(at: now)
    }

    /// Sends the bytes of `wantedFile`.
    mutating func send(piece: Span<UInt8>, isLast: Bool, at now: MonotonicTime) {
        guard case .send(let message, _) = spec.steps[position].action else { return }
        do throws(SendRefusal) {
            let kind: Message.Kind = message.type == .text ? .text : .binary
            try machine.send(fragment: piece, of: kind, isFinal: isLast)
        } catch {
            return fail(faults.refusal(error), at: now)
        }
        unwritten += piece.count + StepProgress.frameSize
        step.fileOffset += Int64(piece.count)
        if isLast {
            didSend(Int(step.fileOffset))
            step.fileOffset = 0
        }
        advance(at: now)
    }

    /// Ends steps whose time is over.
    mutating func tick(at now: MonotonicTime) {
        switch phase {
        case .over: return
        case .ending(let time): if now >= time { phase = .over }
        case .running:
            if let end = receiveEnd, now >= end {
                finishReceiving(at: now)
                advance(at: now)
            } else if let limit = stepLimit, now >= limit {
                overrun(at: now)
            } else if let end = idleEnd, now >= end {
                let limit = (configuration.idleLimit ?? .zero).microseconds / 1000
                fail(faults.timeout("nothing moved for \(limit) ms"), at: now)
            }
        }
    }

    /// Fails the conversation from outside, for example because a file cannot be read.
    mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
        if !isDecided { fail(failure, at: now) }
    }

    // MARK: Steps

    private mutating func take(_ event: ConnectionEvent, at now: MonotonicTime) {
        switch event {
        case .message(let message):
            tally.didReceive(message.bytes.count)
            // Behind the client's Close frame no step takes messages.
            guard !isClosing, !isDecided else { return }
            inbox.append(ReceivedMessage(message, at: configuration.clock.timestamp(of: now)))
        case .ping: tally.receivedPings += 1
        case .pong(_, let answered): if answered > 0 { step.isAnswered = true }
        case .closing(let closing): tally.closing = closing
        case .failed(let fault):
            // Messages before the fault may still complete the step.
            tally.fault = fault
            advance(at: now)
            if !isDecided { fail(faults.endOfConnection, at: now) }
        case .ended(let end): tally.end = end
        }
    }

    /// Whether the running step closes the connection.
    private var isClosing: Bool {
        if case .close = spec.steps[position].action { true } else { false }
    }

    private mutating func beginStep(at now: MonotonicTime) {
        step = StepProgress(at: now)
        do throws(SendRefusal) {
            switch spec.steps[position].action {
            case .send, .receive: break
            case .ping(let payload): try machine.ping(payload)
            case .close(let rule):
                inbox.removeAll()
                // The server may have been first.
                guard machine.isOpen else { break }
                let code = rule.code.map { CloseCode(rawValue: $0) }
                try machine.close(code: code, reason: rule.reason)
                step.closeCode = rule.code.map { Int($0) }
            }
        } catch {
            fail(faults.refusal(error), at: now)
        }
    }

    /// Runs steps until one waits.
    private mutating func advance(at now: MonotonicTime) {
        while case .running = phase {
            do throws(TransferFailure) {
                guard case .isDone = try run(at: now) else { return }
            } catch {
                return fail(error, at: now)
            }
            finishStep(.succeeded, at: now)
            position += 1
            guard position < spec.steps.count else {
                position -= 1
                phase = .ending(until: now + Self.endLimit)
                return
            }
            beginStep(at: now)
        }
    }

    private mutating func run(at now: MonotonicTime) throws(TransferFailure) -> Progress {
        switch spec.steps[position].action {
        case .send(let message, let count): return try send(message, count)
        case .receive(let receiving): return try receive(receiving, at: now)
        case .ping:
            if step.isAnswered { return .isDone }
            guard machine.isOpen else { throw faults.endOfConnection }
            return .waits
        case .close(let rule):
            guard tally.closing != nil else { return .waits }
            return try didClose(accepting: rule.expectedCodes, own: rule.code)
        }
    }

    private mutating func send(
        _ message: OutgoingMessage,
        _ count: Int
    ) throws(TransferFailure) -> Progress {
        while step.messageCount < count, unwritten < Self.outputLimit {
            guard machine.isOpen else { throw faults.endOfConnection }
            // The caller has the files.
            guard case .bytes(let bytes) = message.content else { return .waits }
            do throws(SendRefusal) {
                let kind: Message.Kind = message.type == .text ? .text : .binary
                try machine.send(fragment: bytes.span, of: kind, isFinal: true)
            } catch {
                throw faults.refusal(error)
            }
            unwritten += bytes.count + StepProgress.frameSize
            didSend(bytes.count)
        }
        return step.messageCount == count && unwritten == 0 ? .isDone : .waits
    }

    private mutating func didSend(_ count: Int) {
        step.count(count)
        tally.sentMessages += 1
        tally.sentBytes += Int64(count)
    }

    private mutating func receive(
        _ receiving: Receiving,
        at now: MonotonicTime
    ) throws(TransferFailure) -> Progress {
        while let message = inbox.take() {
            var message = message
            if try accept(&message, receiving) {
                return try didReceive(receiving)
            }
        }
        guard machine.transport != .read else { return .waits }
        // The server's Close frame, its fault or the end of the connection: no message follows.
        guard case .closed = receiving.end, tally.closing != nil else {
            throw faults.endOfConnection
        }
        if case .waits = try didClose(accepting: receiving.closeCodes, own: nil) { return .waits }
        return try didReceive(receiving)
    }

    /// Takes a message; true when the step has all of its messages.
    private mutating func accept(
        _ message: inout ReceivedMessage,
        _ receiving: Receiving
    ) throws(TransferFailure) -> Bool {
        step.count(message.message.bytes.count)
        if configuration.writesLines { message.appendLine(to: &lines, &formatter) }
        var isLast = false
        switch receiving.end {
        case .count(let count): isLast = step.messageCount == count
        case .match(let condition):
            isLast = message.mismatch(condition) == nil
            guard isLast else { return false }
        case .closed, .time: break
        }
        if let mismatch = message.mismatch(receiving.expectation) {
            throw faults.unexpected(mismatch)
        }
        if !receiving.captures.isEmpty { step.last = message }
        return isLast
    }

    /// Completes a step that has its messages.
    private mutating func didReceive(_ receiving: Receiving) throws(TransferFailure) -> Progress {
        guard !receiving.captures.isEmpty else { return .isDone }
        guard var last = step.last else {
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
        guard let closing = tally.closing else { return .waits }
        let code = (closing.code ?? .noStatusReceived).rawValue
        step.closeCode = Int(code)
        let accepted = codes.isEmpty ? ClosingRule.usualCodes + (own.map { [$0] } ?? []) : codes
        guard hasAcceptedClose || accepted.contains(code) else {
            var failure = faults.endOfConnection
            failure.kind = .content
            failure.isPermanent = true
            throw failure
        }
        hasAcceptedClose = true
        return .isDone
    }

    // MARK: Time

    /// When the running step has taken too long.
    private var stepLimit: MonotonicTime? {
        let step = spec.steps[position]
        if case .close = step.action { return self.step.start + (step.timeout ?? Self.closeLimit) }
        return step.timeout.map { self.step.start + $0 }
    }

    /// When the running step has received for long enough.
    private var receiveEnd: MonotonicTime? {
        guard case .receive(let receiving) = spec.steps[position].action,
            case .time(let time) = receiving.end
        else { return nil }
        return step.start + time
    }

    /// When the connection was silent for too long; a step of a given time may be silent.
    private var idleEnd: MonotonicTime? {
        guard receiveEnd == nil else { return nil }
        return configuration.idleLimit.map { lastActivity + $0 }
    }

    private mutating func finishReceiving(at now: MonotonicTime) {
        guard case .receive(let receiving) = spec.steps[position].action else { return }
        do throws(TransferFailure) {
            _ = try didReceive(receiving)
        } catch {
            return fail(error, at: now)
        }
        finishStep(.succeeded, at: now)
        position += 1
        beginStep(at: now)
        // Silence counts from the step's end.
        lastActivity = now
    }

    private mutating func overrun(at now: MonotonicTime) {
        if case .close(let rule) = spec.steps[position].action, rule.isImplied {
            finishStep(.succeeded, at: now)
            phase = .over
            return
        }
        let limit = (spec.steps[position].timeout ?? Self.closeLimit).microseconds / 1000
        fail(faults.timeout("it took longer than \(limit) ms (`timeout`)"), at: now)
    }

    // MARK: Ends

    private mutating func finishStep(
        _ outcome: WebSocketRecord.Step.Outcome,
        at now: MonotonicTime
    ) {
        tally.steps.append(
            step.record(
                spec.steps[position].action.name,
                outcome,
                to: now,
                configuration.clock
            )
        )
    }

    /// Ends the conversation with a failure, and tells the server so if the connection is open.
    private mutating func fail(_ failure: TransferFailure, at now: MonotonicTime) {
        guard case .running = phase else { return }
        if isImpliedClose, tally.fault == nil, failure.kind != .content {
            // The task itself has done all of its steps.
            finishStep(.succeeded, at: now)
            phase = .ending(until: now + Self.endLimit)
            return
        }
        var failure = failure
        failure.detail = "step \(position + 1) (`\(currentName.rawValue)`): \(failure.detail)"
        failure.followsMessages = tally.sentMessages > 0
        self.failure = failure
        finishStep(.failed, at: now)
        if machine.isOpen { try? machine.close(code: .goingAway) }
        phase = tally.end == nil ? .ending(until: now + Self.endLimit) : .over
    }

    private var isImpliedClose: Bool {
        if case .close(let rule) = spec.steps[position].action { rule.isImplied } else { false }
    }

    private var currentName: WebSocketStep.Name { spec.steps[position].action.name }

    /// The failures that the running step can end with.
    private var faults: ConversationFaults {
        ConversationFaults(
            step: currentName,
            messageCount: step.messageCount,
            isInboxFull: inbox.isFull,
            tally: tally
        )
    }
}
