internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The conversation of a stream task: the steps of the job file over bytes.
///
/// A value. It keeps at most the bytes of the running step, a piece of a file that it sends, and
/// `aheadLimit` bytes that no step has taken yet.
struct StreamConversation: Conversation {
    /// The arrived bytes above which the conversation wants no more, unless a step takes them.
    static let aheadLimit = 256 << 10

    /// Whether TLS must announce its end, so that bytes up to the end are whole.
    private let requiresCloseNotify: Bool
    private var steps: StepRun<StreamStep>
    /// Whether the running step has given all its bytes to the output, or has begun to wait for
    /// TLS.
    private var isGiven = false
    private var inbox = StreamInbox()
    private var output: [UInt8] = []
    /// Whether taken output has not left.
    private var isSending = false
    private var isReadClosed = false
    private(set) var endsSending = false
    private var hasPeerEnded = false
    /// Whether the connection ended without the end of its TLS.
    private var isCut = false
    /// Whether any byte has left.
    private var hasSent = false
    private var sentCount: Int64 = 0
    private var receivedCount: Int64 = 0
    private var captured: [CapturedValue] = []
    private(set) var isOver = false

    /// Begins the first step.
    init(
        _ spec: StreamSpec,
        _ setting: ConversationSetting,
        requiresCloseNotify: Bool = true,
        at now: MonotonicTime
    ) {
        self.requiresCloseNotify = requiresCloseNotify
        steps = StepRun(spec.steps, setting, mostRecords: StreamRecord.mostSteps, at: now)
        proceed(at: now)
    }

    private var action: StreamStep.Action? { steps.current?.action }

    var failure: TransferFailure? { steps.failure }

    /// The record of the steps so far.
    var record: StreamRecord {
        StreamRecord(
            steps: steps.records,
            omittedSteps: steps.omittedCount,
            isClosedByPeer: hasPeerEnded
        )
    }

    func complete(_ result: inout AttemptResult) {
        result.conversation = .stream(record)
        result.currentRequest = result.currentRequest.overStream
        result.countOfBytesSent = sentCount
        result.countOfBytesReceived = receivedCount
        if result.failure == nil {
            result.captured = captured
        } else if result.failure?.kind == .content {
            result.checks = [.init(.content, passed: false, actual: result.failure?.detail)]
        }
    }

    // MARK: - Input and output

    var wantsInput: Bool {
        guard !isOver, !hasPeerEnded else { return false }
        // A step that reads limits its bytes itself.
        if case .read? = action { return true }
        return inbox.count < Self.aheadLimit
    }

    var hasOutput: Bool { !output.isEmpty }

    var wantsSecurity: Bool {
        guard !isOver, case .startSecureConnection? = action else { return false }
        return true
    }

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        isSending = isSending || !output.isEmpty
        sentCount += Int64(output.count)
        return output
    }

    mutating func didWriteSome(at now: MonotonicTime) {
        hasSent = true
        steps.lastActivity = now
    }

    mutating func didWrite(at now: MonotonicTime) {
        didWriteSome(at: now)
        isSending = false
        proceed(at: now)
    }

    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        steps.lastActivity = now
        receivedCount += Int64(bytes.count)
        guard !isReadClosed, !isOver else { return }
        inbox.append(bytes)
        proceed(at: now)
    }

    mutating func receiveEnd(at now: MonotonicTime) {
        hasPeerEnded = true
        proceed(at: now)
    }

    mutating func receiveCut(isInHandshake: Bool, at now: MonotonicTime) {
        guard !isOver else { return }
        guard !isInHandshake else {
            return fail(
                .tls,
                .secureConnectionFailed,
                "the server closed the connection during the TLS handshake",
                at: now
            )
        }
        isCut = requiresCloseNotify
        receiveEnd(at: now)
    }

    mutating func takeFileBytes() -> [UInt8] { inbox.takeFileBytes() }

    var wantedFile: WantedFile? {
        guard !isOver, case .write(.file(let path))? = action, output.isEmpty, !isSending,
            !isGiven
        else { return nil }
        return WantedFile(path: path, offset: steps.progress.byteCount)
    }

    mutating func send(piece: [UInt8], isLast: Bool, at now: MonotonicTime) {
        output = piece
        steps.progress.byteCount += Int64(piece.count)
        isGiven = isLast
        proceed(at: now)
    }

    mutating func didSecure(with facts: TLSFacts?, at now: MonotonicTime) {
        guard wantsSecurity else { return }
        steps.progress.facts = facts
        steps.lastActivity = now
        endStep(at: now)
        proceed(at: now)
    }

    // MARK: - Time

    var nextTime: MonotonicTime? { isOver ? nil : steps.nextTime }

    mutating func excuseSilence(at now: MonotonicTime) { steps.lastActivity = now }

    mutating func tick(at now: MonotonicTime) {
        guard !isOver else { return }
        switch steps.due(at: now) {
        case .limit(let limit)?:
            fail(.timeout, .timedOut, "exceeded its `timeout` of \(limit) ms", at: now)
        case .silence(let limit)?:
            finish(with: TransferFailure(phase: phase, "nothing moved within", limit), at: now)
        case .duration?, nil: break
        }
    }

    // MARK: - Ends

    mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
        guard !isOver else { return }
        // A loss says more with its step; the other ends have no cause in the conversation.
        finish(with: failure, namesStep: failure.kind == .reset || failure.kind == .tls, at: now)
    }

    private mutating func endStep(at now: MonotonicTime) {
        steps.endStep(at: now)
        isGiven = false
    }

    private mutating func finish(
        with failure: TransferFailure,
        namesStep: Bool = true,
        at now: MonotonicTime
    ) {
        isOver = true
        output = []
        var failure = failure
        if hasSent { failure.followsMessages = true }
        failure.isKnownUnprocessed = !hasSent
        steps.fail(with: failure, namesStep: namesStep, at: now)
    }

    private var phase: TransferFailure.Phase {
        switch action {
        case .write?, .closeWrite?: .send
        case .startSecureConnection?: .tls
        case .read?, .closeRead?, nil: .receive
        }
    }

    private mutating func fail(
        _ kind: TransferFailure.Kind,
        _ urlError: TransferFailure.URLErrorCode,
        _ detail: String,
        help: String? = nil,
        isPermanent: Bool = false,
        at now: MonotonicTime
    ) {
        finish(
            with: TransferFailure(
                kind: kind,
                phase: phase,
                detail: detail,
                urlError: urlError,
                isPermanent: isPermanent,
                help: help
            ),
            at: now
        )
    }
}

// MARK: - Steps

extension StreamConversation {
    /// Goes through the steps as far as nothing has to wait.
    private mutating func proceed(at now: MonotonicTime) {
        while !isOver {
            guard let action else {
                isOver = true
                output = []
                return
            }
            switch action {
            case .write(let content): guard write(content) else { return }
            case .read(let reading): guard read(reading, at: now) else { return }
            case .startSecureConnection: return awaitSecurity(at: now)
            case .closeWrite: endsSending = true
            case .closeRead:
                isReadClosed = true
                inbox.clear()
            }
            endStep(at: now)
        }
    }

    /// Whether all bytes of the step have left.
    private mutating func write(_ content: StepContent) -> Bool {
        if case .bytes(let bytes) = content, !isGiven {
            output = bytes
            steps.progress.byteCount = Int64(bytes.count)
            isGiven = true
        }
        return isGiven && output.isEmpty && !isSending
    }

    /// Begins to wait for TLS; `didSecure` ends the step.
    ///
    /// Bytes that arrived before TLS are not protected by it: taken as an answer under TLS they
    /// would let an attacker speak for the peer (CVE-2011-0411).
    private mutating func awaitSecurity(at now: MonotonicTime) {
        guard !isGiven else { return }
        isGiven = true
        if inbox.count > 0 {
            fail(
                .protocolViolation,
                .secureConnectionFailed,
                "\(inbox.count) bytes had arrived before TLS began",
                help: "add a `read` step that takes all of the server's answer, or find out who "
                    + "added bytes to it",
                isPermanent: true,
                at: now
            )
        } else if hasPeerEnded {
            fail(.truncated, .networkConnectionLost, "the server closed the connection", at: now)
        }
    }

    /// Whether the step has all its bytes, and they are as expected.
    private mutating func read(_ reading: StreamReading, at now: MonotonicTime) -> Bool {
        do throws(TransferFailure) {
            switch try inbox.take(reading, hasEnded: hasPeerEnded) {
            case .needsMore:
                steps.progress.byteCount = inbox.takenCount
                guard hasPeerEnded else { return false }
                let count = inbox.takenCount + Int64(inbox.count)
                fail(
                    .truncated,
                    .networkConnectionLost,
                    "the server closed the connection after \(count) bytes",
                    at: now
                )
                return false
            case .done(let bytes, let count):
                steps.progress.byteCount = count
                guard !isCut || reading.end != .closed else {
                    fail(
                        .truncated,
                        .networkConnectionLost,
                        "the connection ended without close_notify, so that bytes may be missing",
                        help: "if this server always closes connections this way, set "
                            + "`tls: { closeNotify: optional }`",
                        at: now
                    )
                    return false
                }
                captured += try reading.judge(bytes)
                return true
            }
        } catch {
            steps.progress.byteCount = max(steps.progress.byteCount, inbox.takenCount)
            finish(with: error, at: now)
            return false
        }
    }
}
