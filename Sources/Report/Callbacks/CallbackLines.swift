internal import JSON
internal import SystemKit
internal import TransferModel

/// Makes lines of JSON of a run's events, named after the callbacks of URLSession's delegates.
///
/// The callbacks of a task are in the order in which URLSession makes them. The callbacks about an
/// exchange are made when its attempt has ended, with the dates at which they happened.
struct CallbackLines {
    private let now: () -> MonotonicTime
    private var clock: RunClock?
    /// The last attempt with lines of each running task that has several attempts.
    private var lastAttempts: [String: Int] = [:]

    /// Lines with dates by a clock.
    init(now: @escaping () -> MonotonicTime) { self.now = now }

    /// Writes the lines of an event without the secrets of `redactor`.
    mutating func write(
        _ event: RunEvent,
        hiding redactor: Redactor?,
        to writer: inout ReportWriter
    ) {
        writer.redactor = redactor
        switch event {
        case .started(let header): begin(header, &writer)
        case .taskStarted(let task): say(TaskCreated.self, Dated(date, task), &writer)
        case .taskWaiting(let id, let failure):
            let wait = Retry(id: id, attempt: 0, failure: failure, wait: 0)
            say(TaskAwaitsConnectivity.self, Dated(date, wait), &writer)
        case .taskWillRetry(let id, let attempt, let failure, let wait, let kind, let exchanges):
            // An attempt that could not begin is taken back: the exchanges are of an earlier one.
            let written = lastAttempts[id] ?? 0
            let rest = exchanges.drop { $0.attempt <= written }
            write(rest, of: id, isDownload: kind == .download, &writer)
            lastAttempts[id] = max(written, rest.last?.attempt ?? 0)
            let retry = Retry(id: id, attempt: attempt, failure: failure, wait: wait)
            say(TaskRetries.self, Dated(date, retry), &writer)
        case .taskFinished(let task): end(task.record, &writer)
        case .stopping(let reason, let running, let advice):
            let stop = Stop(reason: reason, running: running, advice: advice)
            say(RunStops.self, Dated(date, stop), &writer)
        case .finished(let summary):
            say(CallbacksEnd.self, Dated(summary.endDate, summary), &writer)
        case .progress, .taskWrote: break
        }
    }

    private var date: Timestamp {
        clock?.timestamp(of: now()) ?? Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
    }

    private mutating func begin(_ header: RunHeader, _ writer: inout ReportWriter) {
        clock = RunClock(
            wall: header.clock.wall,
            monotonic: MonotonicTime(nanoseconds: header.clock.monotonicMicroseconds * 1000),
            maximumSkewMicroseconds: header.clock.maximumSkewMicroseconds
        )
        say(RunBegins.self, Dated(date, header), &writer)
    }

    private mutating func end(_ record: TaskRecord, _ writer: inout ReportWriter) {
        var exchanges = record.transactions[...]
        if !lastAttempts.isEmpty, let written = lastAttempts.removeValue(forKey: record.id) {
            exchanges = exchanges.drop { $0.attempt <= written }
        }
        write(exchanges, of: record.id, isDownload: record.kind == .download, &writer)
        let end = Dated(record.endDate, record)
        if let webSocket = record.conversation?.webSocket {
            let steps = webSocket.steps
            say(WebSocketOpening.self, Dated(steps.first?.startDate ?? end.date, record), &writer)
            say(WebSocketClosing.self, Dated(steps.last?.endDate ?? end.date, record), &writer)
        }
        if record.file != nil { say(FinishedDownload.self, end, &writer) }
        if record.attemptCount > 0 { say(CollectedMetrics.self, end, &writer) }
        say(Completion.self, end, &writer)
    }

    /// Writes the callbacks of exchanges that follow each other.
    private func write(
        _ exchanges: ArraySlice<TransactionMetrics>,
        of id: String,
        isDownload: Bool,
        _ writer: inout ReportWriter
    ) {
        for index in exchanges.indices {
            let exchange = exchanges[index]
            let next = index + 1 < exchanges.endIndex ? exchanges[index + 1] : nil
            let subject = CallbackExchange(id, exchange)
            for response in exchange.informationalResponses {
                let about = CallbackExchange(id, exchange, statusCode: response.statusCode)
                say(InformationalCallback.self, Dated(response.date, about), &writer)
            }
            if let date = exchange.requestEndDate,
                exchange.countOfRequestBodyBytesBeforeEncoding > 0
            {
                say(SentBodyCallback.self, Dated(date, subject), &writer)
            }
            let response = exchange.response
            if let next, next.attempt == exchange.attempt, let response {
                let status = Int(response.statusCode)
                let about = CallbackExchange(id, next, statusCode: status)
                let arrival = exchange.responseStartDate ?? next.fetchStartDate
                if next.reason == .redirect {
                    say(RedirectionCallback.self, Dated(arrival, about), &writer)
                    continue
                }
                if next.reason == .authentication {
                    say(ChallengeCallback.self, Dated(arrival, about), &writer)
                    continue
                }
            }
            guard response != nil else { continue }
            let arrival = exchange.responseStartDate ?? exchange.fetchStartDate
            say(ResponseCallback.self, Dated(arrival, subject), &writer)
            guard exchange.countOfResponseBodyBytesAfterDecoding > 0 else { continue }
            let last = exchange.responseEndDate ?? arrival
            if isDownload {
                say(WrittenDataCallback.self, Dated(last, subject), &writer)
            } else {
                say(ReceivedDataCallback.self, Dated(last, subject), &writer)
            }
        }
    }

    @inline(__always)
    private func say<Object: ReportObject>(
        _ object: Object.Type,
        _ subject: Object.Subject,
        _ writer: inout ReportWriter
    ) {
        writer.object(object, subject)
        writer.json.endLine()
    }
}
