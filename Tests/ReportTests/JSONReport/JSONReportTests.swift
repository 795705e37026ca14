import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct JSONReportTests {
    @Test func `a run with every outcome fits the schema and the invariants`() throws {
        let report = try writtenReport(Samples.events).value
        #expect(
            report.members.map(\.name) == [
                "formatVersion", "detail", "job", "tasks", "run", "summary",
            ]
        )
        #expect(report["tasks"]?.elements.count == 3)
        #expect(report["summary"]?["exitCode"]?.integer == 1)
        #expect(report["run"]?["endDate"]?.string == "2026-11-21T01:04:06.200000Z")
    }

    @Test func `a run without tasks is a report`() throws {
        let summary = RunSummary(endDate: Samples.time(1))
        let report = try writtenReport([.started(Samples.header), .finished(summary)]).value
        #expect(report["tasks"] == .array([]))
    }

    @Test func `every value of a task is in its place`() throws {
        let task = try #require(try writtenReport(Samples.events).value["tasks"]?[0])
        #expect(task["id"]?.string == "artifact")
        #expect(task["state"]?.string == "completed")
        #expect(task["file"]?["sha256"]?.string?.count == 64)
        #expect(task["file"]?["resumedFrom"]?.isNull == true)
        #expect(task["extension"]?["vouchedBy"]?.string == "checksum")
        #expect(task["response"]?["mimeType"]?.string == "text/html")
        #expect(task["error"]?.isNull == true)
        let exchange = try #require(task["metrics"]?["transactionMetrics"]?[0])
        #expect(exchange["connectEndDate"]?.string == "2026-11-21T01:04:03.000017Z")
        #expect(exchange["remotePort"]?.integer == 443)
        #expect(exchange["negotiatedTLSCipherSuite"]?["raw"]?.integer == 0x1302)
        #expect(exchange["extension"]?["queueUs"]?.integer == 10)
        #expect(exchange["extension"]?["byteCounting"]?.string == "http1-equivalent")
        #expect(exchange["extension"]?["connectionIdentifier"]?.integer == 4)
    }

    @Test func `events that did not happen are null, and failures have reasons`() throws {
        let task = try #require(try writtenReport(Samples.events).value["tasks"]?[1])
        #expect(task["error"]?["urlError"]?["code"]?.integer == -1004)
        #expect(task["error"]?["retryable"] == .bool(true))
        #expect(task["error"]?["help"]?.string == "is the server running?")
        #expect(task["file"] == .null)
        #expect(task["response"] == .null)
        let exchange = try #require(task["metrics"]?["transactionMetrics"]?[0])
        for name in ["domainLookupStartDate", "connectEndDate", "requestStartDate", "isCellular"] {
            #expect(exchange[name] == .null, "\(name)")
        }
        #expect(exchange["isMultipath"] == .bool(false))
        #expect(exchange["extension"]?["curlCode"]?.integer == 7)
    }

    @Test func `no credential is in the text`() throws {
        let text = try writtenReport(Samples.events).text
        #expect(!text.contains("secret"))
        #expect(text.contains(#""url":"https://‹redacted›@example.com/a?b#c""#))
        #expect(text.contains(#"{"name":"SET-COOKIE","value":"‹redacted›"}"#))
        #expect(text.contains("no connection to http://‹redacted›@127.0.0.1:9/"))
    }

    @Test func `no secret of any source is in the text`() throws {
        let secret = "s€cret/1"
        let encoded = "c+KCrGNyZXQvMQ=="
        var record = Samples.refused
        record.id = "id \(secret)"
        record.taskDescription = "description \(secret)"
        record.error?.detail = "detail s%E2%82%ACcret/1"
        record.error?.help = #"help s\u20accret\/1 s€cr…"#
        record.checks = [
            TaskRecord.Check(.clientError, passed: false, expected: secret, actual: "a \(secret)")
        ]
        record.originalRequest.url =
            "https://example.com/\(secret)?s%e2%82%acCRET=s%e2%82%accret%2f1"
        let fields = HeaderFields([
            HeaderField(name: "X-\(secret)", value: "Bearer \(secret)"),
            HeaderField(name: "X-Encoded", value: "dXNlcjpz4oKsY3JldC8x \(encoded)"),
        ])
        record.originalRequest.headers = fields
        record.response = ResponseHead(statusCode: 200, fields: fields)
        let events: [RunEvent] = [
            .started(Samples.header), .taskFinished(record), .finished(Samples.summary),
        ]
        let text = try reportText(events, hiding: secret)
        for trace in ["cret/1", "cret%2f1", "s€", "s\\u20ac", "CY3JldC8", "jcmV0LzE"] {
            #expect(!text.contains(trace), "\(trace)")
        }
        #expect(text.contains(#""id":"id ‹redacted›""#))
        #expect(text.contains(#"{"name":"X-‹redacted›","value":"Bearer ‹redacted›"}"#))
    }

    @Test(arguments: [
        "name", "value", "1234", "0000", "2026", "true", "null", "data", "succeeded", "completed",
        "\",\"", "\":{\"", "durationUs", "sha256", "clientError",
    ])
    func `a secret that is a word of the report keeps it valid by the schema`(
        secret: String
    ) throws {
        let redactor = try #require(Redactor([Secret(secret)]))
        let report = try writtenReport(Samples.events, redactor: redactor)
        #expect(report.value["tasks"]?.elements.count == 3)
    }

    /// The text of a report whose sums need not be right.
    private func reportText(_ events: [RunEvent], hiding secret: String) throws -> String {
        let file = MemoryFile()
        let redactor = try #require(Redactor([Secret(secret)]))
        let report = jsonReport(to: file, redactor: redactor)
        for event in events { report.receive(event) }
        return String(decoding: file.bytes, as: UTF8.self)
    }

    @Test func `bytes from a peer cannot drive a terminal`() throws {
        let text = try writtenReport(Samples.events).text
        #expect(text.contains(#"{"name":"X-Bytes","value":"Ã©Â\u009b\u001b[31m"}"#))
    }

    @Test func `a head of many sizes is written whole each time`() throws {
        var events: [RunEvent] = [.started(Samples.header)]
        var summary = RunSummary(endDate: Samples.time(1_200_000))
        for number in 1...40 {
            var record = Samples.record("task-\(number)", number, .succeeded)
            let fields = (0..<number % 4).map { HeaderField(name: "N\($0)", value: "\(number)") }
            record.response = ResponseHead(statusCode: 200, fields: HeaderFields(fields))
            record.originalRequest.headers = HeaderFields(fields)
            events.append(.taskFinished(record))
            summary.tasks += 1
            summary.succeeded += 1
        }
        let tasks = try writtenReport(events + [.finished(summary)]).value["tasks"]?.elements ?? []
        #expect(tasks.count == 40)
        for (index, task) in tasks.enumerated() {
            let number = index + 1
            let response = task["response"]?["headers"]?.elements ?? []
            #expect(response.count == number % 4)
            #expect(response.allSatisfy { $0["value"]?.string == "\(number)" })
            #expect(task["originalRequest"]?["headers"]?.elements == response)
        }
    }

    @Test func `each of several heads is recorded in its order`() throws {
        var random = SplitMix64(seed: 3)
        var events: [RunEvent] = [.started(Samples.header)]
        var summary = RunSummary(endDate: Samples.time(1_200_000))
        var expected: [[Int]] = []
        for number in 1...60 {
            let values = (0..<4).map { _ in Int(random.next() % 4) }
            var record = Samples.record("task-\(number)", number, .succeeded)
            record.attempts = Samples.full.attempts
            record.transactions = values.map { value in
                var exchange = Samples.fullExchange
                exchange.response = Self.head(value)
                return exchange
            }
            record.response = Self.head(values[3])
            expected.append([values[3]] + values)
            events.append(.taskFinished(record))
            summary.tasks += 1
            summary.attempts += 1
            summary.succeeded += 1
        }
        let tasks = try writtenReport(events + [.finished(summary)]).value["tasks"]?.elements ?? []
        let told = tasks.map { task in
            let exchanges = task["metrics"]?["transactionMetrics"]?.elements ?? []
            return ([task] + exchanges).map { Self.number(of: $0["response"]) }
        }
        #expect(told == expected)
    }

    /// A head whose status tells one half of a number, and whose field the other one.
    private static func head(_ number: Int) -> ResponseHead {
        ResponseHead(
            statusCode: 200 + number % 2,
            fields: HeaderFields([HeaderField(name: "N", value: "\(number / 2)")])
        )
    }

    private static func number(of head: JSONValue?) -> Int? {
        guard let status = head?["statusCode"]?.integer,
            let field = head?["headers"]?[0]?["value"]?.string.flatMap({ Int($0) })
        else { return nil }
        return Int(status) - 200 + 2 * field
    }

    @Test func `tasks reach the report's file during the run`() {
        let file = MemoryFile()
        let report = jsonReport(to: file)
        report.receive(.started(Samples.header))
        for _ in 0..<60 { report.receive(.taskFinished(Samples.full)) }
        #expect(file.bytes.count > 64 * 1024)
        #expect(!file.isPublished)
    }

    @Test func `a full disk is an error and nothing is published`() {
        let file = MemoryFile(capacity: 100_000)
        let report = jsonReport(to: file)
        report.receive(.started(Samples.header))
        for _ in 0..<100 { report.receive(.taskFinished(Samples.full)) }
        report.receive(.finished(Samples.summary))
        #expect(report.failure?.operation == "write")
        #expect(!report.isPublished)
        #expect(!file.isPublished)
    }

    @Test func `a file that cannot be made durable is an error`() {
        let failure = SystemError(errno: 5, operation: "sync", subject: "x")
        let report = jsonReport(to: MemoryFile(publishFailure: failure))
        for event in Samples.events { report.receive(event) }
        #expect(report.failure == failure)
    }
}
