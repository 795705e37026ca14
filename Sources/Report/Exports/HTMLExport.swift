internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the HTML report: one file that needs no network and opens from disk.
///
/// The tasks are JSON in a data block, in which `<` is escaped: no text of a server can end the
/// block or become markup. The content security policy permits the page's own script and style by
/// their hashes, and nothing else.
struct HTMLExport: ReportExport {
    var text: [UInt8] = []
    private var start = Timestamp(microseconds: 0)
    private var hasTasks = false

    mutating func open(_ head: ReportedHead) {
        start = head.startDate
        write(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <title>\(XMLText.escaped(head.jobName))</title>
            <style>\(HTMLPage.style)</style>
            </head>
            <body>
            \(HTMLPage.elements)
            <script type="application/json" id="tasks">[

            """
        )
    }

    mutating func receive(_ task: ReportedTask) throws(ReportFault) {
        var json = JSONWriter()
        if hasTasks { write(",\n") }
        hasTasks = true
        try write(task, to: &json)
        append(json.bytes)
    }

    mutating func finish(_ run: ReportedRun) {
        var json = JSONWriter()
        write(run, to: &json)
        write("]</script>\n<script type=\"application/json\" id=\"run\">")
        append(json.bytes)
        write("</script>\n<script>\(HTMLPage.script)</script>\n</body>\n</html>\n")
    }

    private static let policy =
        "default-src 'none'; script-src 'sha256-\(HTMLPage.scriptHash)'; "
        + "style-src 'sha256-\(HTMLPage.styleHash)'; base-uri 'none'; form-action 'none'"

    private func write(_ task: ReportedTask, to json: inout JSONWriter) throws(ReportFault) {
        json.beginObject()
        json.member("id", task.id)
        json.member("kind", task.kind)
        json.member("session", task.session)
        let place = task.place
        json.member("place", "\(place.file):\(place.line):\(place.column)")
        json.member("outcome", task.outcome.rawValue)
        json.member("required", task.isRequired)
        if let failure = task.failure {
            json.key(plain: "failure")
            json.beginObject()
            json.member("kind", failure.kind)
            json.member("message", failure.message)
            if let help = failure.help { json.member("help", help) }
            json.member("retryable", failure.isRetryable)
            json.endObject()
        }
        json.member("method", task.method)
        json.member("url", task.url)
        if let status = task.statusCode { json.member("status", status) }
        json.member("start", task.startDate.microseconds(since: start))
        json.member("duration", task.durationMicroseconds)
        json.member("attempts", task.attemptCount)
        json.member("sent", task.countOfBytesSent)
        json.member("received", task.countOfBytesReceived)
        json.member("cached", task.isFromCache)
        json.key(plain: "exchanges")
        json.beginArray()
        for exchange in try task.exchanges() { write(exchange, to: &json) }
        json.endArray()
        json.endObject()
    }

    private func write(_ exchange: ReportedExchange, to json: inout JSONWriter) {
        let timings = ExchangeTimings(exchange)
        let secure = timings.ssl ?? 0
        json.beginObject()
        json.member("attempt", exchange.attempt)
        json.member("reason", exchange.reason)
        json.member("method", exchange.method)
        json.member("url", exchange.url)
        if let status = exchange.statusCode { json.member("status", status) }
        if let name = exchange.protocolName { json.member("protocol", name) }
        if let address = exchange.remoteAddress { json.member("server", address) }
        json.member("received", exchange.responseBodyBytes)
        json.member("start", exchange.steps.fetchStart.microseconds(since: start))
        json.key(plain: "phases")
        json.beginArray()
        for length in [
            timings.blocked ?? 0, timings.dns ?? 0, max(0, (timings.connect ?? 0) - secure),
            secure, timings.send, timings.wait, timings.receive,
        ] { json.integer(length) }
        json.endArray()
        json.endObject()
    }

    private func write(_ run: ReportedRun, to json: inout JSONWriter) {
        json.beginObject()
        json.member("job", run.head.jobName)
        json.member("file", run.head.jobFile)
        json.member("id", run.head.runIdentifier)
        json.member("host", run.head.host)
        json.member("start", "\(run.head.startDate.rfc3339.prefix(19))Z")
        json.member("duration", run.durationMicroseconds)
        json.member("exitCode", run.exitCode)
        json.member("attempts", run.attempts)
        json.member("redirects", run.redirects)
        json.member("cacheHits", run.cacheHits)
        json.member("sent", run.countOfBytesSent)
        json.member("received", run.countOfBytesReceived)
        json.key(plain: "outcomes")
        json.beginObject()
        for outcome in TaskOutcome.allCases {
            json.member(outcome.rawValue, run.outcomes[outcome] ?? 0)
        }
        json.endObject()
        json.endObject()
    }

    private mutating func write(_ text: String) { self.text += text.utf8 }

    /// Appends JSON, in which `<` stands only in strings.
    private mutating func append(_ json: [UInt8]) {
        for byte in json {
            if byte == UInt8(ascii: "<") { text += "\\u003c".utf8 } else { text.append(byte) }
        }
    }
}
