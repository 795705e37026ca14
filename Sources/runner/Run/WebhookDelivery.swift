import Plan
import Report
import SystemKit
import Transfer
import TransferModel

/// Posts the summary of a run to the job's webhook, within a time limit.
///
/// It has an engine of its own, because the run's engine may have ended, or may never have begun.
struct WebhookDelivery {
    /// The events that the delivery waits for.
    private enum Message: Sendable {
        case ended(EndedAttempt)
        case stopped
    }

    private let webhook: Webhook
    private let body: [UInt8]
    private let inbox = Inbox<Message>()

    /// The most requests; a request is repeated only if the server may answer otherwise soon.
    private static let mostAttempts = 3
    /// How long the engine may take to end an attempt that is over.
    private static let grace = Duration.seconds(1)

    init(_ webhook: Webhook, body: [UInt8]) {
        self.webhook = webhook
        self.body = body
    }

    /// Sends the summary.
    ///
    /// - Parameter hear: Gets the function that gives the delivery up, for any thread.
    /// - Returns: Why the server has no summary; nil when it has.
    /// - Throws: The error of `hear`.
    func send(hear: (@escaping @Sendable () -> Void) throws(Exit) -> Void) throws(Exit) -> String? {
        let inbox = inbox
        try hear { inbox.push(.stopped) }
        let deadline = now + webhook.timeout
        let engine: Engine
        do throws(Engine.StartFailure) {
            engine = try makeEngine()
        } catch {
            return error.message
        }
        var fault: String?
        for number in 1...Self.mostAttempts {
            engine.start([attempt(number, until: deadline)])
            guard let ended = wait(until: deadline + Self.grace) else {
                // A name lookup cannot be ended; it ends with the process.
                engine.cancel([number])
                return "the server did not answer in time"
            }
            guard let failure = ended.result.failure else {
                fault = nil
                break
            }
            fault = failure.detail
            let next = now + .seconds(number)
            guard number < Self.mostAttempts, Self.mayRepeat(failure), next < deadline,
                inbox.takeAll(until: next.nanoseconds).isEmpty
            else { break }
        }
        engine.stop()
        return fault
    }

    private var now: MonotonicTime { MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) }

    /// The end of the running attempt; nil when a signal or the time limit comes first.
    private func wait(until deadline: MonotonicTime) -> EndedAttempt? {
        for message in inbox.takeAll(until: deadline.nanoseconds) {
            if case .ended(let attempt) = message { return attempt }
        }
        return nil
    }

    private static func mayRepeat(_ failure: TransferFailure) -> Bool {
        guard let status = failure.httpStatus else { return !failure.isPermanent }
        return status >= 500 || status == 429 || status == 408
    }

    private func attempt(_ number: Int, until deadline: MonotonicTime) -> AttemptRequest {
        var headers = webhook.headers
        if !headers.contains("content-type") {
            headers.append(HeaderField(name: "Content-Type", value: "application/json"))
        }
        var attempt = AttemptRequest(
            key: number,
            session: 0,
            number: number,
            request: RequestSpec(method: "POST", url: webhook.url, headers: headers),
            body: .bytes(body),
            deadline: deadline
        )
        attempt.requiresFreshConnection = true
        attempt.looksForPart = false
        return attempt
    }

    private func makeEngine() throws(Engine.StartFailure) -> Engine {
        var session = SessionConfiguration(name: "webhook")
        session.kind = .ephemeral
        let inbox = inbox
        return try Engine(
            sessions: [EngineSession(session)],
            maximumConcurrentAttempts: 1,
            clock: .now(),
            environment: ProcessContext.variable,
            say: { _ in { true } },
            deliver: { events in
                for case .finished(let attempt) in events { inbox.push(.ended(attempt)) }
            }
        )
    }
}
