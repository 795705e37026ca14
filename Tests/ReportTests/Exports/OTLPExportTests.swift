import Report
import TestSupport
import Testing
import TransferModel

/// The OpenTelemetry trace of a run.
@Suite struct OTLPExportTests {
    private static func document(_ events: [RunEvent] = Samples.events) -> [UInt8] {
        let file = MemoryFile()
        let reports = Reports([Reports.Output(ReportKind.otlp.makeFormat()) { file }])
        for event in events { reports.receive(event) }
        return file.bytes
    }

    private static func spans() throws -> [JSONValue] {
        let trace = try JSONValue(bytes: document())
        let scope = try #require(trace["resourceSpans"]?[0]?["scopeSpans"]?[0])
        return try #require(scope["spans"]?.elements)
    }

    private static func attribute(_ name: String, of span: JSONValue) -> JSONValue? {
        span["attributes"]?.elements.first { $0["key"]?.string == name }?["value"]
    }

    @Test func `the run, each task, each attempt and each exchange has a span below the other`()
        throws
    {
        let spans = try Self.spans()
        let run = try #require(spans.last)
        #expect(run["parentSpanId"] == nil && run["name"]?.string == "nightly")
        let task = try #require(spans.first { $0["name"]?.string == "artifact" })
        #expect(task["parentSpanId"] == run["spanId"])
        let attempt = try #require(spans.first { $0["parentSpanId"] == task["spanId"] })
        #expect(attempt["name"]?.string == "attempt 1")
        let exchange = try #require(spans.first { $0["parentSpanId"] == attempt["spanId"] })
        #expect(exchange["kind"]?.integer == 3 && exchange["name"]?.string == "GET")
        #expect(
            Self.attribute("http.request.method", of: exchange)?["stringValue"]?.string == "GET"
        )
        #expect(
            Self.attribute("http.response.status_code", of: exchange)?["intValue"]?.string == "200"
        )
        #expect(exchange["events"]?.elements.isEmpty == false)
    }

    @Test func `times are texts of nanoseconds and a failure has its message as the status`() throws
    {
        let spans = try Self.spans()
        let run = try #require(spans.last)
        #expect(run["startTimeUnixNano"]?.string == "\(Samples.start.microseconds)000")
        #expect(run["status"]?["code"]?.integer == 2)
        #expect(run["status"]?["message"]?.string == "exit code 1")
        let task = try #require(spans.first { $0["name"]?.string == "refused" })
        #expect(task["status"]?["code"]?.integer == 2)
        #expect(Self.attribute("error.type", of: task)?["stringValue"]?.string == "connect")
    }

    @Test func `ids follow from the run's id and are unique`() throws {
        #expect(Self.document() == Self.document())
        let spans = try Self.spans()
        let ids = spans.compactMap { $0["spanId"]?.string }
        #expect(Set(ids).count == spans.count && ids.allSatisfy { $0.utf8.count == 16 })
        #expect(Set(spans.compactMap { $0["traceId"]?.string }).count == 1)
        var header = Samples.header
        header.runIdentifier = "01JE"
        let other = [.started(header)] + Samples.events.dropFirst()
        let texts = [Self.document(), Self.document(other)].map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(!texts[1].contains(ids[0]) && texts[0].contains(ids[0]))
    }
}
