import Report
import SystemKit
import TransferModel

/// Values of every shape that a report has.
enum Samples {
    static let start = Timestamp(microseconds: 1_795_223_043_000_000)

    static let header = RunHeader(
        jobName: "nightly",
        jobFile: "jobs/nightly.yaml",
        jobSHA256: String(repeating: "0f", count: 32),
        runIdentifier: "01JD",
        startDate: start,
        runnerVersion: "1.0",
        host: "ci-7",
        engine: RunHeader.Engine(
            libcurl: "7.88.1",
            tls: "OpenSSL/3.0.19",
            http2: true,
            http3: false
        ),
        clock: RunHeader.Clock(
            wall: start,
            monotonicMicroseconds: 12,
            maximumSkewMicroseconds: 3
        ),
        taskCount: 3
    )

    static let request = TransactionMetrics.SentRequest(
        method: "GET",
        url: "https://user:secret@example.com/a?b#c",
        headers: HeaderFields([
            HeaderField(name: "Host", value: "example.com"),
            HeaderField(name: "authorization", value: "Bearer secret"),
            HeaderField(name: "Cookie", value: "secret"),
        ])
    )

    static let response = ResponseHead(
        statusCode: 200,
        fields: HeaderFields([
            HeaderField(name: "Content-Type", value: "Text/HTML; charset=x"),
            HeaderField(name: "Set-Cookie", value: "secret=1"),
            HeaderField(name: "SET-COOKIE", value: "secret=2"),
            HeaderField(name: "Proxy-Authorization", value: "secret"),
            HeaderField(name: "Location", value: "https://me:secret@example.org/x"),
            HeaderField(name: "X-Bytes", value: "\u{E9}\u{9B}\u{1B}[31m"),
        ])
    )

    static func time(_ offset: Int64) -> Timestamp {
        Timestamp(microseconds: start.microseconds + offset)
    }

    static func record(_ id: String, _ identifier: Int, _ outcome: TaskOutcome) -> TaskRecord {
        TaskRecord(
            id: id,
            taskIdentifier: identifier,
            kind: .download,
            session: "default",
            source: SourceLocation(file: "jobs/nightly.yaml", line: 14, column: 3),
            outcome: outcome,
            required: true,
            request: request,
            startDate: start,
            endDate: time(1_200_000)
        )
    }

    /// A task with every optional value there.
    static var full: TaskRecord {
        var record = record("artifact", 1, .succeeded)
        record.taskDescription = "an artifact"
        record.sessionDescription = "a session"
        record.earliestBeginDate = start
        record.progress = .init(counts: [4096], expected: [8192], isComplete: false)
        record.changed = true
        record.checks = [
            TaskRecord.Check(.clientError, passed: true),
            TaskRecord.Check(.statusCode, passed: true, expected: "200-299", actual: "200"),
        ]
        record.response = response
        record.file = PublishedFile(
            path: "out/a",
            size: 4096,
            sha256: String(repeating: "a1", count: 32)
        )
        record.voucher = .checksum
        record.captures = [TaskRecord.Capture(name: "token", size: 5)]
        record.countOfBytesSent = 0
        record.countOfBytesReceived = 4096
        record.countOfBytesExpectedToSend = 0
        record.countOfBytesExpectedToReceive = 4096
        var attempt = TaskRecord.Attempt(
            number: 1,
            startDate: start,
            endDate: time(1_200_000),
            outcome: .succeeded
        )
        attempt.waitReason = .backoff
        record.attempts = [attempt]
        record.transactions = [fullExchange]
        return record
    }

    static var fullExchange: TransactionMetrics {
        var exchange = TransactionMetrics(
            attempt: 1,
            reason: .initial,
            request: request,
            fetchStartDate: time(1)
        )
        exchange.response = response
        exchange.domainLookupStartDate = time(11)
        exchange.domainLookupEndDate = time(12)
        exchange.connectStartDate = time(13)
        exchange.tcpConnectEndDate = time(14)
        exchange.secureConnectionStartDate = time(15)
        exchange.secureConnectionEndDate = time(16)
        exchange.connectEndDate = time(17)
        exchange.requestStartDate = time(18)
        exchange.requestEndDate = time(19)
        exchange.responseStartDate = time(20)
        exchange.responseEndDate = time(21)
        exchange.countOfRequestHeaderBytesSent = 120
        exchange.countOfResponseHeaderBytesReceived = 240
        exchange.countOfResponseBodyBytesReceived = 4096
        exchange.countOfResponseBodyBytesAfterDecoding = 4096
        exchange.informationalResponses = [
            .init(
                statusCode: 103,
                date: time(20),
                fields: HeaderFields([HeaderField(name: "Link", value: "</a.css>; rel=preload")])
            )
        ]
        exchange.countOfInformationalBytesReceived = 30
        exchange.networkProtocolName = "h2"
        exchange.remoteEndpoint = TransactionMetrics.Endpoint(address: "::1", port: 443)
        exchange.localEndpoint = TransactionMetrics.Endpoint(address: "::1", port: 50_000)
        exchange.negotiatedTLSProtocolVersion = TransactionMetrics.NamedCode(
            raw: 0x0304,
            name: "TLSv1.3"
        )
        exchange.negotiatedTLSCipherSuite = TransactionMetrics.NamedCode(
            raw: 0x1302,
            name: "TLS_AES_256_GCM_SHA384"
        )
        exchange.connectionIdentifier = 4
        return exchange
    }

    /// A task whose only connection was refused.
    static var refused: TaskRecord {
        var record = record("refused", 2, .failed)
        var failure = TransferFailure(
            kind: .connect,
            phase: .connect,
            detail: "no connection to http://u:secret@127.0.0.1:9/"
        )
        failure.urlError = .cannotConnectToHost
        failure.curlCode = 7
        failure.osErrno = 111
        failure.help = "is the server running?"
        record.error = failure
        record.isRetryable = true
        record.checks = [TaskRecord.Check(.clientError, passed: false, actual: "connect")]
        var attempt = TaskRecord.Attempt(
            number: 1,
            startDate: start,
            endDate: time(90),
            outcome: .failed
        )
        attempt.reason = "connect"
        record.attempts = [attempt]
        var exchange = TransactionMetrics(
            attempt: 1,
            reason: .initial,
            request: request,
            fetchStartDate: start
        )
        exchange.connectStartDate = time(2)
        exchange.curlCode = 7
        exchange.osErrno = 111
        record.transactions = [exchange]
        return record
    }

    static var summary: RunSummary {
        var summary = RunSummary(endDate: time(3_200_000))
        summary.tasks = 3
        summary.succeeded = 1
        summary.failed = 1
        summary.skipped = 1
        summary.attempts = 2
        summary.countOfBytesReceived = 4096
        summary.exitCode = .taskFailed
        return summary
    }

    static var events: [RunEvent] {
        [
            .started(header), .taskFinished(full), .taskFinished(refused),
            .taskFinished(record("skipped", 3, .skipped)), .finished(summary),
        ]
    }
}
