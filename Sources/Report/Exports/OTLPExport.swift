internal import JSON
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
        let (attempts, exchanges) = try task.measures()
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
