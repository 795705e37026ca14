internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the run as an OpenTelemetry trace in OTLP's JSON encoding: one span for the run, for each
/// task, each attempt and each exchange.
///
/// The shape is `TracesData` of opentelemetry-proto, with the names of OpenTelemetry's semantic
/// conventions for HTTP (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). The ids
/// follow from the run's id, so that a run and its written report make the same trace.
struct OTLPExport: ReportExport {
    var text: [UInt8] = []
    private var spans = OTLPSpans()
    private var run = ""

    mutating func open(_ head: ReportedHead) {
        run = head.runIdentifier
        spans = OTLPSpans()
        spans.begin(head)
        drain()
    }

    mutating func receive(_ task: ReportedTask) throws(ReportFault) {
        let ids = TraceIdentifiers(run: run, task: task.id)
        let (attempts, exchanges, _) = try task.measures()
        spans.write(task, ids)
        for attempt in attempts { spans.write(attempt, of: task, ids) }
        let numbers = Set(attempts.map(\.number))
        for (index, exchange) in exchanges.enumerated() {
            let parent = numbers.contains(exchange.attempt) ? exchange.attempt : nil
            spans.write(exchange, at: index, attempt: parent, ids)
        }
        drain()
    }

    mutating func finish(_ run: ReportedRun) {
        spans.end(run)
        drain()
    }

    private mutating func drain() { spans.drain(to: &text) }
}

/// The ids of the spans of a task: hashes of the run's id and of their place in the trace.
struct TraceIdentifiers {
    /// 32 hexadecimal digits.
    let trace: String
    private let run: String
    private let task: String

    init(run: String, task: String = "") {
        (self.run, self.task) = (run, task)
        trace =
            Self.digits(Self.hash("trace high\n\(run)"))
            + Self.digits(Self.hash("trace low\n\(run)"))
    }

    /// 16 hexadecimal digits, as the following ones.
    var ofRun: String { Self.digits(Self.hash("run\n\(run)")) }
    var ofTask: String { Self.digits(Self.hash("task\n\(run)\n\(task)")) }
    func of(attempt number: Int) -> String {
        Self.digits(Self.hash("attempt\n\(run)\n\(number)\n\(task)"))
    }
    func of(exchange index: Int) -> String {
        Self.digits(Self.hash("exchange\n\(run)\n\(index)\n\(task)"))
    }

    /// FNV-1a with 64 bits and the finalizer of SplitMix64; never 0, which OTLP forbids.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        hash ^= hash >> 31
        return max(hash, 1)
    }

    private static func digits(_ hash: UInt64) -> String {
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}

/// The JSON of a trace, span by span.
struct OTLPSpans {
    /// `Span.SpanKind` of opentelemetry-proto.
    private enum Kind: Int {
        case `internal` = 1
        case client = 3
    }

    /// A value of an attribute.
    private enum Value {
        case text(String)
        case integer(Int64)
        case bool(Bool)
    }

    /// A name and its value; a nil value leaves the attribute out.
    private typealias Attribute = (name: String, value: Value?)

    /// Makes the writer a part of a value that can be copied.
    private final class Output {
        var json = JSONWriter()
    }

    private let output = Output()

    /// Moves the text so far to the end of `text`.
    func drain(to text: inout [UInt8]) {
        output.json.drain { text.append($0) }
    }

    /// Opens the trace.
    func begin(_ head: ReportedHead) {
        output.json.beginObject()
        output.json.key(plain: "resourceSpans")
        output.json.beginArray()
        output.json.beginObject()
        output.json.key(plain: "resource")
        output.json.beginObject()
        write([
            ("service.name", .text("runner")), ("service.version", .text(head.runnerVersion)),
            ("service.instance.id", .text(head.runIdentifier)), ("host.name", .text(head.host)),
        ])
        output.json.endObject()
        output.json.key(plain: "scopeSpans")
        output.json.beginArray()
        output.json.beginObject()
        output.json.object("scope") { json in
            json.member("name", "runner")
            json.member("version", head.runnerVersion)
        }
        output.json.key(plain: "spans")
        output.json.beginArray()
    }

    /// Writes the span of the run and closes the trace.
    func end(_ run: ReportedRun) {
        let ids = TraceIdentifiers(run: run.head.runIdentifier)
        let failure = run.exitCode == 0 ? nil : "exit code \(run.exitCode)"
        begin(ids.trace, ids.ofRun, parent: nil, run.head.jobName, .internal)
        write(from: run.head.startDate, to: run.endDate)
        write([
            ("runner.job.name", .text(run.head.jobName)),
            ("runner.job.file", .text(run.head.jobFile)),
            ("runner.run.id", .text(run.head.runIdentifier)),
            ("process.exit.code", .integer(Int64(run.exitCode))),
        ])
        end(failure: failure, isSuccess: failure == nil)
        output.json.newline()
        for _ in 0..<2 {
            output.json.endArray()
            output.json.endObject()
        }
        output.json.endArray()
        output.json.endObject()
        output.json.newline()
    }

    /// Writes the span of a task.
    func write(_ task: ReportedTask, _ ids: TraceIdentifiers) {
        begin(ids.trace, ids.ofTask, parent: ids.ofRun, task.id, .internal)
        write(from: task.startDate, to: task.endDate)
        write([
            ("runner.task.id", .text(task.id)), ("runner.task.type", .text(task.kind)),
            ("runner.task.session", .text(task.session)),
            ("runner.task.outcome", .text(task.outcome.rawValue)),
            ("runner.task.required", .bool(task.isRequired)),
            ("runner.task.attempts", .integer(Int64(task.attemptCount))),
            ("code.file.path", .text(task.source.file)),
            ("code.line.number", .integer(Int64(task.source.line))),
            ("error.type", task.isGood ? nil : .text(task.failure?.kind ?? task.outcome.rawValue)),
        ])
        let failure = task.isGood ? nil : task.failure?.message ?? task.outcome.rawValue
        end(failure: failure, isSuccess: task.isSuccess)
    }

    /// Writes the span of an attempt.
    func write(_ attempt: ReportedAttempt, of task: ReportedTask, _ ids: TraceIdentifiers) {
        let isSuccess = attempt.outcome == .succeeded || attempt.outcome == .unchanged
        let id = ids.of(attempt: attempt.number)
        begin(ids.trace, id, parent: ids.ofTask, "attempt \(attempt.number)", .internal)
        write(from: attempt.startDate, to: attempt.endDate)
        write([
            ("runner.task.id", .text(task.id)),
            ("runner.attempt.number", .integer(Int64(attempt.number))),
            ("runner.attempt.outcome", .text(attempt.outcome.rawValue)),
            ("runner.attempt.waited_us", .integer(attempt.waitedMicroseconds)),
            ("error.type", isSuccess ? nil : .text(attempt.reason ?? attempt.outcome.rawValue)),
        ])
        end(failure: isSuccess ? nil : attempt.reason ?? attempt.outcome.rawValue, isSuccess: false)
    }

    /// Writes the span of an exchange; one without a recorded attempt belongs to the task.
    func write(
        _ exchange: ReportedExchange,
        at index: Int,
        attempt: Int?,
        _ ids: TraceIdentifiers
    ) {
        let parent = attempt.map(ids.of(attempt:)) ?? ids.ofTask
        begin(ids.trace, ids.of(exchange: index), parent: parent, exchange.method, .client)
        write(from: exchange.steps.fetchStart, to: exchange.endDate)
        write(Self.attributes(of: exchange, at: index))
        writeEvents(exchange.steps)
        let error = exchange.errorType
        end(failure: error, isSuccess: false)
    }

    private static func attributes(of exchange: ReportedExchange, at index: Int) -> [Attribute] {
        let origin = (try? TransferURL(exchange.url))?.origin
        let (name, version) = exchange.protocolParts
        let isHTTP = ["http://", "https://"].contains { exchange.url.hasBytePrefix($0) }
        return [
            ("http.request.method", isHTTP ? .text(exchange.method) : nil),
            ("url.full", .text(exchange.url)),
            (
                "http.response.status_code",
                isHTTP ? exchange.statusCode.map { .integer(Int64($0)) } : nil
            ),
            ("server.address", origin.map { .text($0.host) }),
            ("server.port", origin.flatMap { $0.port > 0 ? .integer(Int64($0.port)) : nil }),
            ("network.protocol.name", name.map { .text($0) }),
            ("network.protocol.version", version.map { .text($0) }),
            ("network.peer.address", exchange.remoteAddress.map { .text($0) }),
            ("network.peer.port", exchange.remotePort.map { .integer($0) }),
            ("http.request.body.size", .integer(exchange.requestBodyBytes)),
            ("http.response.body.size", .integer(exchange.responseBodyBytes)),
            ("http.request.resend_count", index > 0 ? .integer(Int64(index)) : nil),
            ("runner.exchange.reason", .text(exchange.reason)),
            ("runner.exchange.from_cache", .bool(exchange.isFromCache)),
            ("error.type", exchange.errorType.map { .text($0) }),
        ]
    }

    private func writeEvents(_ steps: ReportedExchange.Steps) {
        let events: [(StaticString, Timestamp?)] = [
            ("domainLookupStart", steps.lookupStart), ("domainLookupEnd", steps.lookupEnd),
            ("connectStart", steps.connectStart), ("secureConnectionStart", steps.secureStart),
            ("secureConnectionEnd", steps.secureEnd), ("connectEnd", steps.connectEnd),
            ("requestStart", steps.requestStart), ("requestEnd", steps.requestEnd),
            ("responseStart", steps.responseStart), ("responseEnd", steps.responseEnd),
        ]
        output.json.key(plain: "events")
        output.json.beginArray()
        for (name, date) in events {
            guard let date else { continue }
            output.json.beginObject()
            writeTime("timeUnixNano", date)
            output.json.key(plain: "name")
            output.json.string(plain: name)
            output.json.endObject()
        }
        output.json.endArray()
    }

    private func begin(
        _ trace: String,
        _ id: String,
        parent: String?,
        _ name: String,
        _ kind: Kind
    ) {
        output.json.newline()
        output.json.beginObject()
        output.json.member("traceId", trace)
        output.json.member("spanId", id)
        if let parent { output.json.member("parentSpanId", parent) }
        output.json.member("name", name)
        output.json.member("kind", kind.rawValue)
    }

    /// Ends a span with its status: of a span that is neither a success nor a failure the status is
    /// unset, as the conventions for HTTP demand.
    private func end(failure: String?, isSuccess: Bool) {
        output.json.object("status") { json in
            if let failure {
                json.member("message", failure)
                json.member("code", 2)
            } else if isSuccess {
                json.member("code", 1)
            }
        }
        output.json.endObject()
    }

    private func write(from start: Timestamp, to end: Timestamp) {
        writeTime("startTimeUnixNano", start)
        writeTime("endTimeUnixNano", max(start, end))
    }

    /// Writes a number of 64 bits as text, as the JSON encoding of protocol buffers demands.
    private func writeTime(_ name: StaticString, _ date: Timestamp) {
        output.json.key(plain: name)
        output.json.string("\(UInt64(clamping: date.microseconds))000")
    }

    private func write(_ attributes: [Attribute]) {
        output.json.array("attributes", of: attributes) { attribute, json in
            guard let value = attribute.value else { return }
            json.object { json in
                json.member("key", attribute.name)
                json.object("value") { json in
                    switch value {
                    case .text(let text): json.member("stringValue", text)
                    case .integer(let number): json.member("intValue", "\(number)")
                    case .bool(let flag): json.member("boolValue", flag)
                    }
                }
            }
        }
    }
}

extension ReportedExchange {
    /// The last date that is known.
    fileprivate var endDate: Timestamp {
        [
            steps.responseEnd, steps.responseStart, steps.requestEnd, steps.requestStart,
            steps.connectEnd, steps.secureEnd, steps.connectStart, steps.lookupEnd,
        ].compactMap(\.self).max() ?? steps.fetchStart
    }

    /// libcurl's code, or the status of an error response; nil without an error.
    fileprivate var errorType: String? {
        if let curlCode, curlCode != 0 { return "curl_\(curlCode)" }
        return statusCode.flatMap { $0 >= 400 ? "\($0)" : nil }
    }

    /// The protocol's name and version, from its ALPN name.
    fileprivate var protocolParts: (name: String?, version: String?) {
        switch protocolName {
        case "h2": return ("http", "2")
        case "h3": return ("http", "3")
        case let name?:
            let parts = name.splitAtBytes("/", maxSplits: 1)
            return (parts.first.map(String.init), parts.count > 1 ? String(parts[1]) : nil)
        case nil: return (nil, nil)
        }
    }
}
