import SystemKit
import Transfer
import TransferModel

@testable import Scheduler

/// Answers attempts from a script, at once and on the caller's thread.
final class FakeRunner: AttemptRunner {
    /// The outcome of an attempt.
    enum Answer {
        case success
        case failure(TransferFailure)
        /// It runs until it is cancelled or asked for progress.
        case nothing
    }

    private let inbox: Inbox<Scheduler.Message>
    private let script: @Sendable (AttemptRequest) -> Answer
    private let held = Lock<[Int: AttemptRequest]>([:])

    init(
        _ inbox: Inbox<Scheduler.Message>,
        _ script: @escaping @Sendable (AttemptRequest) -> Answer
    ) {
        self.inbox = inbox
        self.script = script
    }

    func start(_ attempts: [AttemptRequest]) {
        var events: [AttemptEvent] = []
        for attempt in attempts {
            switch script(attempt) {
            case .success: events.append(Self.end(attempt, nil))
            case .failure(let failure): events.append(Self.end(attempt, failure))
            case .nothing: held.withLock { $0[attempt.key] = attempt }
            }
        }
        inbox.push(.attempts(events))
    }

    func cancel(_ keys: [Int]) {
        let failure = TransferFailure(kind: .cancelled, phase: .receive, detail: "cancelled")
        let ended = held.withLock { held in keys.compactMap { held.removeValue(forKey: $0) } }
        inbox.push(.attempts(ended.map { Self.end($0, failure) }))
    }

    /// Tells how far the held attempts are, and ends them.
    func reportProgress() {
        let ended = held.withLock { held in
            defer { held = [:] }
            return Array(held.values)
        }
        let progress = ended.map {
            AttemptProgress(
                key: $0.key,
                countOfBytesSent: 1,
                countOfBytesReceived: 2,
                countOfBytesExpected: 4
            )
        }
        inbox.push(.attempts([.progress(progress)] + ended.map { Self.end($0, nil) }))
    }

    func stop() {}

    private static func end(_ attempt: AttemptRequest, _ failure: TransferFailure?) -> AttemptEvent
    {
        var result = AttemptResult(
            key: attempt.key,
            startTime: MonotonicTime(nanoseconds: 0),
            endTime: MonotonicTime(nanoseconds: 0),
            currentRequest: TransactionMetrics.SentRequest(
                method: attempt.request.method,
                url: attempt.request.url.text,
                headers: HeaderFields()
            )
        )
        result.failure = failure
        return .finished(result)
    }
}
