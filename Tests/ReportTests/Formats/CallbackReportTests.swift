import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

/// The events of a run as lines, named after the callbacks of URLSession's delegates.
@Suite struct CallbackReportTests {
    private static func lines(_ events: [RunEvent], redactor: Redactor? = nil) throws -> [JSONValue]
    {
        let file = MemoryFile()
        let reports = Reports(
            [Reports.Output(ReportKind.events.makeFormat()) { file }],
            redactor: redactor
        )
        for event in events { reports.receive(event) }
        #expect(file.isPublished)
        let validator = JSONSchemaValidator(schema: try JSONValue(CallbackSchema.text))
        return try String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").map { text in
            let line = try JSONValue(String(text))
            #expect(validator.faults(in: line) == [], "\(text)")
            return line
        }
    }

    private static func names(_ lines: [JSONValue]) -> [String] {
        lines.compactMap { $0["event"]?.string }
    }

    private static func exchange(
        _ attempt: Int,
        _ reason: TransactionMetrics.Reason,
        _ status: Int?,
        bytes: Int64 = 0
    ) -> TransactionMetrics {
        var exchange = Samples.fullExchange
        exchange.attempt = attempt
        exchange.reason = reason
        exchange.informationalResponses = []
        exchange.response = status.map { ResponseHead(statusCode: $0, fields: HeaderFields()) }
        exchange.countOfRequestBodyBytesBeforeEncoding = 0
        exchange.countOfResponseBodyBytesAfterDecoding = bytes
        return exchange
    }

    private static func record(
        _ kind: TaskSpec.Kind,
        _ outcome: TaskOutcome,
        _ exchanges: [TransactionMetrics]
    ) -> TaskRecord {
        var record = Samples.record("a", 1, outcome)
        record.kind = kind
        record.attempts = Array(Samples.full.attempts.prefix(1))
        record.transactions = exchanges
        return record
    }

    private static func run(_ events: [RunEvent]) -> [RunEvent] {
        [.started(Samples.header)] + events + [.finished(Samples.summary)]
    }

    private static func begin(_ kind: TaskSpec.Kind) -> RunEvent {
        .taskStarted(TaskProgress(id: "a", kind: kind))
    }

    private static var failure: TransferFailure {
        TransferFailure(kind: .httpStatus, phase: .receive, detail: "answered 503 swordfish")
    }

    @Test func `the schema's file is what the program prints`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try InputFile(path: "/\(root)/schemas/report-events.schema.json")
        #expect(try file.readPrefix(limit: 1 << 20) == Array(CallbackSchema.text.utf8))
    }

    @Test func `a redirect and a challenge come before the response, in the order of URLSession`()
        throws
    {
        let exchanges = [
            Self.exchange(1, .initial, 302, bytes: 7), Self.exchange(1, .redirect, 401, bytes: 7),
            Self.exchange(1, .authentication, 200, bytes: 5),
        ]
        let lines = try Self.lines(
            Self.run([Self.begin(.data), .taskFinished(Self.record(.data, .succeeded, exchanges))])
        )
        #expect(
            Self.names(lines) == [
                "runStarted", "didCreateTask", "willPerformHTTPRedirection", "didReceiveChallenge",
                "didReceiveResponse", "didReceiveData", "didFinishCollectingMetrics",
                "didCompleteWithError", "runFinished",
            ]
        )
        #expect(lines[2]["statusCode"]?.integer == 302 && lines[3]["statusCode"]?.integer == 401)
        #expect(lines[4]["statusCode"]?.integer == 200)
        #expect(lines[5]["countOfBytesReceived"]?.integer == 5)
        #expect(lines[7]["error"] == .null && lines[7]["outcome"]?.string == "succeeded")
    }

    @Test func `each attempt has its callbacks once, before the note of the next attempt`() throws {
        let first = Self.exchange(1, .initial, 503, bytes: 3)
        let second = Self.exchange(2, .retry, 200, bytes: 5)
        let lines = try Self.lines(
            Self.run([
                Self.begin(.download),
                .taskWillRetry(
                    id: "a",
                    attempt: 1,
                    failure: Self.failure,
                    waitMicroseconds: 10,
                    kind: .download,
                    exchanges: [first]
                ),
                // Another attempt could not begin: the exchanges are those of the first one.
                .taskWillRetry(
                    id: "a",
                    attempt: 1,
                    failure: Self.failure,
                    waitMicroseconds: 10,
                    kind: .download,
                    exchanges: [first]
                ),
                .taskFinished(Self.record(.download, .succeeded, [first, second])),
            ])
        )
        #expect(
            Self.names(lines) == [
                "runStarted", "didCreateTask", "didReceiveResponse", "didWriteData",
                "taskWillRetry",
                "taskWillRetry", "didReceiveResponse", "didWriteData", "didFinishCollectingMetrics",
                "didCompleteWithError", "runFinished",
            ]
        )
        #expect(lines[2]["attempt"]?.integer == 1 && lines[6]["attempt"]?.integer == 2)
    }

    @Test func `bodies, informational responses, files and waits have their callbacks`() throws {
        var exchange = Samples.fullExchange
        exchange.attempt = 1
        exchange.countOfRequestBodyBytesBeforeEncoding = 9
        var record = Samples.full
        record.transactions = [exchange]
        let lines = try Self.lines(
            Self.run([
                .taskWaiting(id: "artifact", failure: Self.failure), .taskFinished(record),
                .taskFinished(Samples.record("skipped", 3, .skipped)),
                .stopping(reason: "the run was interrupted", running: 1, advice: nil),
            ])
        )
        let names = Self.names(lines)
        for name in [
            "taskIsWaitingForConnectivity", "didReceiveInformationalResponse", "didSendBodyData",
            "didFinishDownloadingTo", "stopping",
        ] { #expect(names.contains(name), "\(name)") }
        #expect(names.count { $0 == "didCompleteWithError" } == 2)
        #expect(names.count { $0 == "didFinishCollectingMetrics" } == 1, "a skipped task has none")
    }

    @Test func `a WebSocket opens and closes`() throws {
        var record = Self.record(.webSocket, .succeeded, [Self.exchange(1, .initial, 101)])
        record.conversation = .webSocket(
            WebSocketRecord(subprotocol: "v1", closeCode: 1000, isClean: true, steps: [])
        )
        let names = Self.names(try Self.lines(Self.run([.taskFinished(record)])))
        #expect(
            names.dropFirst().prefix(3) == [
                "didReceiveResponse", "didOpenWithProtocol", "didCloseWith",
            ]
        )
    }

    @Test func `no line has a secret or a login of a URL`() throws {
        var exchange = Self.exchange(1, .redirect, 200, bytes: 5)
        exchange.request.url = "https://user:hunter@host/swordfish"
        let redactor = try #require(Redactor([Secret("swordfish")]))
        let lines = try Self.lines(
            Self.run([
                .taskWillRetry(
                    id: "a",
                    attempt: 1,
                    failure: Self.failure,
                    waitMicroseconds: 0,
                    exchanges: [Self.exchange(1, .initial, 302), exchange]
                ),
                .taskFinished(Self.record(.data, .failed, [exchange])),
            ]),
            redactor: redactor
        )
        let text = "\(lines)"
        #expect(!text.contains("swordfish") && !text.contains("hunter"))
        #expect(text.contains("‹redacted›"))
    }

    @Test func `lines reach the file while the run goes on`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("out/events.ndjson")
        var reports: Reports? = Reports([
            Reports.Output(ReportKind.events.makeFormat()) { () throws(SystemError) in
                try ReportKind.events.open(at: path)
            }
        ])
        reports?.receive(.started(Samples.header))
        // More than the buffer takes.
        for _ in 0..<1000 { reports?.receive(Self.begin(.data)) }
        let text = try folder.text("out/events.ndjson")
        #expect(text.split(separator: "\n").count > 400)
        #expect(try folder.mode(of: "out/events.ndjson") == 0o600)
        // A run that is killed leaves what it has written.
        reports = nil
        #expect(try folder.text("out/events.ndjson") == text)
    }

    @Test func `a full disk ends the file and is the failure of the reports`() {
        let reports = Reports([
            Reports.Output(ReportKind.events.makeFormat()) { MemoryFile(capacity: 10) }
        ])
        for event in Self.run([Self.begin(.data)]) { reports.receive(event) }
        #expect(reports.failure != nil && !reports.isPublished)
    }
}
