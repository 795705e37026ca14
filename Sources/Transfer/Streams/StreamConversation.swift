internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The conversation of a stream task: the steps of the job file over bytes.
///
/// A value without socket, file or clock. It keeps at most the bytes of the running step, and
/// `aheadLimit` bytes that no step has taken yet.
struct StreamConversation {
    /// Facts that do not change during the conversation.
    struct Setting {
        var clock: RunClock
        /// The longest silence; nil for no limit.
        var idleLimit: Duration?
        /// Whether TLS must announce its end, so that bytes up to the end are whole.
        var requiresCloseNotify = true
    }

    /// Arrived bytes at which the conversation stops to want more, unless a step takes them.
    static let aheadLimit = 256 << 10
    /// The most bytes of a file that the conversation takes at once.
    static let pieceLimit = 64 << 10

    let spec: StreamSpec
    private let setting: Setting
    /// The running step.
    private var position = 0
    private var step: StreamStepProgress
    private var inbox = StreamInbox()
    private var output: [UInt8] = []
    /// Whether taken output has not left.
    private var isSending = false
    private var isReadClosed = false
    private(set) var endsSending = false
    private var hasPeerEnded = false
    /// Whether the connection ended without the end of its TLS.
    private var isCut = false
    private var lastActivity: MonotonicTime
    private var records: [StreamRecord.Step] = []
    private var omittedCount = 0
    /// Whether any byte has left.
    private(set) var hasSent = false
    private(set) var sentCount: Int64 = 0
    private(set) var receivedCount: Int64 = 0
    private(set) var captured: [CapturedValue] = []
    private(set) var failure: TransferFailure?
    private(set) var isOver = false

    /// Begins the first step.
    init(_ spec: StreamSpec, _ setting: Setting, at now: MonotonicTime) {
        self.spec = spec
        self.setting = setting
        lastActivity = now
        step = StreamStepProgress(at: now)
        proceed(at: now)
    }

    private var action: StreamStep.Action? {
        position < spec.steps.count ? spec.steps[position].action : nil
    }

    // MARK: - Input and output

    var wantsInput: Bool {
        guard !isOver, !hasPeerEnded, inbox.fileBytes.count < Self.aheadLimit else { return false }
        // A step that reads limits its bytes itself.
        if case .read? = action { return true }
        return inbox.count < Self.aheadLimit
    }

    var hasOutput: Bool { !output.isEmpty }

    /// Whether the running step begins TLS, and everything before it has left.
    var wantsSecurity: Bool {
        guard !isOver, case .startSecureConnection? = action else { return false }
        return true
    }

    /// Returns bytes to send and forgets them.
    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        isSending = isSending || !output.isEmpty
        sentCount += Int64(output.count)
        return output
    }

    /// A part of the output has left.
    mutating func didWriteSome(at now: MonotonicTime) {
        hasSent = true
        lastActivity = now
    }

    /// The runner itself has kept the conversation from moving bytes.
    mutating func excuseSilence(at now: MonotonicTime) { lastActivity = now }

    /// All output that was taken has left.
    mutating func didWrite(at now: MonotonicTime) {
        didWriteSome(at: now)
        isSending = false
        proceed(at: now)
    }

    /// Bytes have arrived.
    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        lastActivity = now
        receivedCount += Int64(bytes.count)
        guard !isReadClosed, !isOver else { return }
        inbox.append(bytes)
        proceed(at: now)
    }

    /// The peer will send no more.
    mutating func receiveEnd(at now: MonotonicTime) {
        hasPeerEnded = true
        proceed(at: now)
    }

    /// The connection has ended without the end of its TLS.
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
        isCut = setting.requiresCloseNotify
        receiveEnd(at: now)
    }

    /// The bytes for the file of the task, which are forgotten.
    mutating func takeFileBytes() -> [UInt8] { inbox.takeFileBytes() }

    /// The file that the running step sends, and the offset of the next piece; nil while no piece
    /// is wanted.
    var wantedFile: (path: String, offset: Int64)? {
        guard !isOver, case .write(.file(let path))? = action, output.isEmpty, !isSending,
            !step.isSent
        else { return nil }
        return (path, step.byteCount)
    }

    /// Takes the next piece of the file, which may be empty at its end.
    mutating func send(piece: [UInt8], isLast: Bool, at now: MonotonicTime) {
        output = piece
        step.byteCount += Int64(piece.count)
        step.isSent = isLast
        proceed(at: now)
    }

    /// TLS has begun.
    mutating func didSecure(with facts: TLSFacts?, at now: MonotonicTime) {
        guard wantsSecurity else { return }
        step.facts = facts
        lastActivity = now
        endStep(at: now)
        proceed(at: now)
    }

    // MARK: - Time

    /// When `tick` is due; nil for never.
    var nextTime: MonotonicTime? {
        guard !isOver else { return nil }
        let idle = setting.idleLimit.map { lastActivity + $0 }
        let limit = stepEnd
        guard let idle, let limit else { return idle ?? limit }
        return min(idle, limit)
    }

    private var stepEnd: MonotonicTime? {
        guard position < spec.steps.count else { return nil }
        return spec.steps[position].timeout.map { step.start + $0 }
    }

    /// Ends the conversation whose step or silence has lasted too long.
    mutating func tick(at now: MonotonicTime) {
        guard !isOver else { return }
        if let end = stepEnd, now >= end {
            let limit = (end - step.start).microseconds / 1000
            fail(.timeout, .timedOut, "exceeded its `timeout` of \(limit) ms", at: now)
        } else if let limit = setting.idleLimit, now >= lastActivity + limit {
            let limit = limit.microseconds / 1000
            fail(.timeout, .timedOut, "nothing moved for \(limit) ms", at: now)
        }
    }

    // MARK: - Ends

    /// The connection is lost, or the attempt is ended from outside.
    mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
        guard !isOver else { return }
        var failure = failure
        // A loss says more with its step; the other ends have no cause in the conversation.
        if failure.kind == .reset || failure.kind == .tls {
            failure.detail = prefix + failure.detail
        }
        finish(with: failure, at: now)
    }

    /// The record of the steps so far.
    var record: StreamRecord {
        StreamRecord(steps: records, omittedSteps: omittedCount, isClosedByPeer: hasPeerEnded)
    }

    private mutating func endStep(
        _ outcome: StreamRecord.Step.Outcome = .succeeded,
        at now: MonotonicTime
    ) {
        if let name = action?.name {
            if records.count < StreamRecord.mostSteps {
                records.append(
                    StreamRecord.Step(
                        name,
                        from: setting.clock.timestamp(of: step.start),
                        to: setting.clock.timestamp(of: now),
                        outcome,
                        byteCount: step.byteCount,
                        tlsVersion: step.facts?.versionName,
                        cipherSuite: step.facts?.cipherSuiteName
                    )
                )
            } else {
                omittedCount += 1
            }
        }
        position += 1
        step = StreamStepProgress(at: now)
    }

    private mutating func finish(with failure: TransferFailure?, at now: MonotonicTime) {
        isOver = true
        output = []
        guard var failure else { return }
        if hasSent {
            failure.followsMessages = true
            failure.isKnownUnprocessed = false
        } else {
            failure.isKnownUnprocessed = true
        }
        self.failure = failure
        endStep(.failed, at: now)
    }

    /// The step in words, for the beginning of a failure.
    private var prefix: String {
        action.map { "step \(position + 1) (`\($0.name.rawValue)`): " } ?? ""
    }

    private mutating func fail(
        _ kind: TransferFailure.Kind,
        _ urlError: TransferFailure.URLErrorCode,
        _ detail: String,
        help: String? = nil,
        isPermanent: Bool = false,
        at now: MonotonicTime
    ) {
        let phase: TransferFailure.Phase =
            switch action {
            case .write?, .closeWrite?: .send
            case .startSecureConnection?: .tls
            case .read?, .closeRead?, nil: .receive
            }
        var failure = TransferFailure(kind: kind, phase: phase, detail: prefix + detail)
        failure.urlError = urlError
        failure.help = help
        failure.isPermanent = isPermanent
        finish(with: failure, at: now)
    }
}

// MARK: - Steps

extension StreamConversation {
    /// Goes through the steps as far as nothing has to wait.
    private mutating func proceed(at now: MonotonicTime) {
        while !isOver {
            guard let action else { return finish(with: nil, at: now) }
            let isDone =
                switch action {
                case .write(let content): write(content)
                case .read(let reading): read(reading, at: now)
                case .startSecureConnection: awaitSecurity(at: now)
                case .closeWrite: closeWrite()
                case .closeRead: closeRead()
                }
            guard isDone, !isOver else { return }
            endStep(at: now)
        }
    }

    /// Whether all bytes of the step have left.
    private mutating func write(_ content: StreamStep.Content) -> Bool {
        if case .bytes(let bytes) = content, !step.isSent {
            output = bytes
            step.byteCount = Int64(bytes.count)
            step.isSent = true
        }
        return step.isSent && output.isEmpty && !isSending
    }

    private mutating func closeWrite() -> Bool {
        endsSending = true
        return true
    }

    private mutating func closeRead() -> Bool {
        isReadClosed = true
        inbox.clear()
        return true
    }

    /// Never done by itself: `didSecure` ends the step.
    ///
    /// Bytes that arrived before TLS are not protected by it: taken as an answer under TLS they
    /// would let an attacker speak for the peer (CVE-2011-0411).
    private mutating func awaitSecurity(at now: MonotonicTime) -> Bool {
        guard !step.isSent else { return false }
        step.isSent = true
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
        return false
    }

    /// Whether the step has all its bytes, and they are as expected.
    private mutating func read(_ reading: StreamReading, at now: MonotonicTime) -> Bool {
        let progress: StreamInbox.Progress
        do throws(StreamFault) {
            progress = try inbox.take(reading, hasEnded: hasPeerEnded)
        } catch {
            step.byteCount = inbox.takenCount
            fail(error.kind, error.urlError, error.detail, isPermanent: true, at: now)
            return false
        }
        switch progress {
        case .needsMore:
            step.byteCount = inbox.takenCount
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
            step.byteCount = count
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
            do throws(StreamFault) {
                captured += try StreamBytes(bytes).judge(reading)
            } catch {
                fail(error.kind, error.urlError, error.detail, isPermanent: true, at: now)
                return false
            }
            return true
        }
    }
}
