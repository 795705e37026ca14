import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct EventLinesTests {
    /// The lines of some events, each parsed.
    private static func lines(_ events: [RunEvent], redactor: Redactor? = nil) throws -> [JSONValue]
    {
        var text: [UInt8] = []
        let lines = EventLines(
            redactor: redactor,
            reportPath: "out/r.json",
            now: { MonotonicTime(nanoseconds: 1_000_000_012_000) },
            write: { text += $0 }
        )
        for event in events { lines.receive(event) }
        return try String(decoding: text, as: UTF8.self).split(separator: "\n")
            .map { try JSONValue(String($0)) }
    }

    private static var failure: TransferFailure {
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .receive,
            detail: "the server answered 503 Service Unavailable"
        )
        failure.help = "said hunter2-hunter2"
        return failure
    }

    /// Events of every kind.
    private static var events: [RunEvent] {
        var task = TaskProgress(id: "a", kind: .download)
        task.phase = .receive
        var record = Samples.refused
        record.cause = SourceLocation(file: "jobs/nightly.yaml", line: 15, column: 5)
        return [
            .started(Samples.header), .taskStarted(task),
            .progress([task, TaskProgress(id: "b", kind: .upload)]),
            .taskWillRetry(id: "a", attempt: 1, failure: failure, waitMicroseconds: 1_000_000),
            .taskWaiting(id: "a", failure: failure),
            .taskWrote(id: "a", bytes: Array("one\ntw".utf8), isLast: false),
            .taskWrote(id: "a", bytes: Array("o".utf8), isLast: true),
            .taskFinished(record), .taskFinished(Samples.full),
            .stopping(reason: "the run was interrupted", running: 2, advice: nil),
            .finished(Samples.summary),
        ]
    }

    @Test func `the schema's file is what the program prints`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try InputFile(path: "/\(root)/schemas/events.schema.json")
        #expect(try file.readPrefix(limit: 1 << 20) == Array(EventSchema.text.utf8))
    }

    @Test func `each event is a line that the schema describes`() throws {
        let lines = try Self.lines(Self.events)
        let validator = JSONSchemaValidator(schema: try JSONValue(EventSchema.text))
        for line in lines { #expect(validator.faults(in: line).isEmpty, "\(line)") }
        #expect(
            lines.compactMap { $0["event"]?.string } == [
                "runStarted", "taskStarted", "progress", "taskWillRetry", "taskWaiting",
                "taskWrote", "taskWrote", "taskFinished", "taskFinished", "stopping", "runFinished",
            ]
        )
    }

    @Test func `an event has its date and what a reader needs`() throws {
        let lines = try Self.lines(Self.events)
        // The run's clock began at 12 µs.
        #expect(lines[0]["date"]?.string?.hasSuffix("43.000000Z") == true)
        #expect(lines[2]["running"]?[0]?["phase"]?.string == "receive")
        #expect(lines[2]["running"]?[1]?["countOfBytesExpected"] == .null)
        #expect(lines[3]["waitUs"]?.integer == 1_000_000)
        #expect(lines[6]["line"]?.string == "two")
        #expect(lines[7]["cause"]?["line"]?.integer == 15)
        #expect(lines[7]["url"]?.string == "https://‹redacted›@example.com/a?b#c")
        #expect(lines[8]["error"] == .null)
        #expect(lines[10]["report"]?.string == "out/r.json")
    }

    @Test func `an event with another member, or without one, is a fault`() throws {
        let validator = JSONSchemaValidator(schema: try JSONValue(EventSchema.text))
        for text in [
            #"{"event":"taskStarted","date":"2026-01-01T00:00:00.000000Z","id":"a"}"#,
            #"{"event":"odd","date":"2026-01-01T00:00:00.000000Z","id":"a","type":"data"}"#,
            #"{"event":"taskStarted","date":"2026-01-01T00:00:00.000000Z","id":"a","type":"data","x":1}"#,
        ] {
            #expect(!validator.faults(in: try JSONValue(text)).isEmpty)
        }
    }

    @Test func `secrets are hidden, and no line obeys a log service`() throws {
        let redactor = Redactor([Secret("hunter2-hunter2")])
        let lines = try Self.lines(Self.events, redactor: redactor)
        #expect(lines[3]["error"]?["help"]?.string == "said ‹redacted›")
        var text: [UInt8] = []
        EventLines(write: { text = $0 }).receive(
            .taskWrote(id: "##[error]a", bytes: Array("\u{1B}[2J\n".utf8), isLast: true)
        )
        let line = String(decoding: text, as: UTF8.self)
        #expect(!line.contains("##[") && !line.contains("\u{1B}"))
    }

    @Test func `a progress event names at most a hundred tasks and counts all`() throws {
        let tasks = (0..<250).map { TaskProgress(id: "t\($0)", kind: .data) }
        let lines = try Self.lines([.progress(tasks), .progress(tasks)])
        #expect(lines.count == 1)
        #expect(lines[0]["running"]?.elements.count == 100)
        #expect(lines[0]["runningCount"]?.integer == 250)
    }
}
