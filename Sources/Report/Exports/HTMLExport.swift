internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the HTML report: one file that needs no network and opens from disk.
///
/// The tasks are JSON in a data block, in which `<` is escaped: no text of a server can end the
/// block or become markup. The verdict and the failures follow as escaped HTML, which needs no
/// script. The content security policy permits the page's own script and style by their hashes, and
/// nothing else.
struct HTMLExport: ReportExport {
    var text: [UInt8] = []
    private var start = Timestamp(microseconds: 0)
    private var hasTasks = false
    private var failures = HTMLFailures()

    mutating func open(_ head: ReportedHead) {
        start = head.startDate
        write(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="\(HTMLPage.policy)">
            <title>\(XMLText.escaped(head.jobName))</title>
            <style>\(HTMLStyle.text)</style>
            </head>
            <body>
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
        failures.add(task)
    }

    mutating func finish(_ run: ReportedRun) {
        var json = JSONWriter()
        write(run, to: &json)
        write("]</script>\n<script type=\"application/json\" id=\"run\">")
        append(json.bytes)
        write(
            """
            </script>
            \(HTMLVerdict(run).markup)
            <main>
            \(failures.markup)
            \(HTMLPage.elements)
            </main>
            <script>\(HTMLPage.script)</script>
            </body>
            </html>

            """
        )
    }

    private func write(_ task: ReportedTask, to json: inout JSONWriter) throws(ReportFault) {
        let (attempts, exchanges, checks) = try task.measures()
        json.beginObject()
        json.member("id", task.id)
        json.member("kind", task.kind)
        json.member("session", task.session)
        let place = task.place
        json.member("place", "\(place.file):\(place.line):\(place.column)")
        json.member("outcome", task.outcome.rawValue)
        json.member("required", task.isRequired)
        if let failure = task.failure { write(failure, to: &json) }
        json.member("method", task.method)
        json.member("url", task.url)
        if let status = task.statusCode { json.member("status", status) }
        json.member("start", task.startDate.microseconds(since: start))
        json.member("duration", task.durationMicroseconds)
        json.member("attempts", task.attemptCount)
        json.member("sent", task.countOfBytesSent)
        json.member("received", task.countOfBytesReceived)
        json.member("cached", task.isFromCache)
        if task.isRemarkable || attempts.contains(where: { $0.waitedMicroseconds > 0 }) {
            json.array("tries", of: attempts) { write($0, to: &$1) }
        }
        // Ten thousand tasks that succeeded in their first attempt stay small without these.
        let hasFields = task.isRemarkable
        json.array("exchanges", of: Array(exchanges.enumerated())) { exchange, json in
            let end = Self.end(of: exchange.offset, in: exchanges, attempts)
            write(exchange.element, until: end, withFields: hasFields, to: &json)
        }
        if task.isRemarkable { json.array("checks", of: checks) { write($0, to: &$1) } }
        json.endObject()
    }

    private func write(_ failure: ReportedTask.Failure, to json: inout JSONWriter) {
        json.object("failure") { json in
            json.member("kind", failure.kind)
            json.member("message", failure.message)
            if let help = failure.help { json.member("help", help) }
            json.member("retryable", failure.isRetryable)
        }
    }

    private func write(_ attempt: ReportedAttempt, to json: inout JSONWriter) {
        json.beginObject()
        json.member("number", attempt.number)
        json.member("start", attempt.startDate.microseconds(since: start))
        json.member("duration", max(0, attempt.endDate.microseconds(since: attempt.startDate)))
        json.member("outcome", attempt.outcome.rawValue)
        if let reason = attempt.reason { json.member("reason", reason) }
        json.member("waited", attempt.waitedMicroseconds)
        if let reason = attempt.waitReason { json.member("waitReason", reason) }
        json.endObject()
    }

    /// The end of an exchange that broke off: the beginning of the next one, or the end of its
    /// attempt; nil if the report omits that.
    private static func end(
        of index: Int,
        in exchanges: [ReportedExchange],
        _ attempts: [ReportedAttempt]
    ) -> Timestamp? {
        let number = exchanges[index].attempt
        if index + 1 < exchanges.count, exchanges[index + 1].attempt == number {
            return exchanges[index + 1].steps.fetchStart
        }
        return attempts.first { $0.number == number }?.endDate
    }

    private func write(
        _ exchange: ReportedExchange,
        until end: Timestamp?,
        withFields: Bool,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("attempt", exchange.attempt)
        json.member("reason", exchange.reason)
        json.member("method", exchange.method)
        json.member("url", exchange.url)
        if let status = exchange.statusCode { json.member("status", status) }
        if let name = exchange.protocolName { json.member("protocol", name) }
        if let address = exchange.remoteAddress { json.member("server", address) }
        if exchange.isFromCache { json.member("cached", true) }
        json.member("received", exchange.responseBodyBytes)
        json.member("start", exchange.steps.fetchStart.microseconds(since: start))
        json.array("phases", of: HTMLPhases(exchange, until: end).lengths) { $1.integer($0) }
        if withFields {
            json.array("fields", of: exchange.responseFields) { field, json in
                json.beginArray()
                json.string(field.name)
                json.string(field.value)
                json.endArray()
            }
        }
        json.endObject()
    }

    private func write(_ check: ReportedCheck, to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", check.name)
        json.member("passed", check.hasPassed)
        if let expected = check.expected { json.member("expected", expected) }
        if let actual = check.actual { json.member("actual", actual) }
        json.endObject()
    }

    /// Writes the members of the run that the script needs; the verdict has the others.
    private func write(_ run: ReportedRun, to json: inout JSONWriter) {
        json.beginObject()
        json.member("job", run.head.jobName)
        json.member("duration", run.durationMicroseconds)
        json.member("exitCode", run.exitCode)
        json.object("outcomes") { json in
            for outcome in TaskOutcome.allCases {
                json.member(outcome.rawValue, run.outcomes[outcome] ?? 0)
            }
        }
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

/// The phases of an exchange as the script of the HTML report knows them.
struct HTMLPhases {
    /// The lengths of `blocked`, `dns`, `connect`, `tls`, `send`, `wait` and `receive`,
    /// microseconds.
    private(set) var lengths: [Int64]

    /// Measures an exchange.
    ///
    /// The phase in which the exchange broke off, such as the wait for a response that never came,
    /// lasts until `end`.
    init(_ exchange: ReportedExchange, until end: Timestamp?) {
        let timings = ExchangeTimings(exchange)
        let secure = timings.ssl ?? 0
        lengths = [
            timings.blocked ?? 0, timings.dns ?? 0, max(0, (timings.connect ?? 0) - secure),
            secure, timings.send, timings.wait, timings.receive,
        ]
        let steps = exchange.steps
        guard let end, !exchange.isFromCache, let last = Self.brokenPhase(steps) else { return }
        let known = lengths.reduce(0, +)
        lengths[last] += max(0, end.microseconds(since: steps.fetchStart) - known)
    }

    /// The place in `lengths` of the phase that has no end; nil for a complete exchange.
    private static func brokenPhase(_ steps: ReportedExchange.Steps) -> Int? {
        if steps.responseEnd != nil { return nil }
        if steps.responseStart != nil { return 6 }
        if steps.requestEnd != nil { return 5 }
        if steps.requestStart != nil { return 4 }
        if steps.connectEnd != nil { return 0 }
        if steps.secureStart != nil { return 3 }
        if steps.connectStart != nil { return 2 }
        return steps.lookupStart != nil && steps.lookupEnd == nil ? 1 : 0
    }
}

/// The fixed parts of the HTML report: policy, elements and script.
///
/// The script makes every text of the report a text node, never markup. The page's content security
/// policy permits only the hashes of the script and of the style.
enum HTMLPage {
    /// The content security policy, with the SHA-256 of `script` and of the style in Base64.
    static let policy =
        "default-src 'none'; script-src 'sha256-+dVKAGqBKgZts1dKZYI/PZwAstRIZTLyZpJI7U+XeAM='; "
        + "style-src 'sha256-hL4BiO5a9DJlu0WDrB+MLPOyjIWIBIH0AgmToGEBdF8='; "
        + "base-uri 'none'; form-action 'none'"

    /// The elements that the script fills.
    static let elements = #"""
        <noscript><p>The rest of this page needs JavaScript, which it contains; <code>runner report show</code> prints it as text.</p></noscript>
        <div id="scripted" hidden>
        <div id="ranking"></div>
        <section aria-labelledby="split-title">
        <h2 id="split-title">Where the time went</h2>
        <div id="split"></div>
        </section>
        <section id="all" aria-labelledby="tasks-title">
        <h2 id="tasks-title">All tasks</h2>
        <div class="bar">
        <input type="search" id="search" placeholder="Search ids, URLs, reasons" aria-label="Search" aria-keyshortcuts="/">
        <label>Group by <select id="group">
        <option value="both">host and outcome</option>
        <option value="host">host</option>
        <option value="outcome">outcome</option>
        <option value="none">nothing</option>
        </select></label>
        <label>Order by <select id="order">
        <option value="start">start</option>
        <option value="slow">time</option>
        <option value="retried">attempts</option>
        <option value="large">bytes</option>
        <option value="name">id</option>
        </select></label>
        <button type="button" id="fold">Fold all</button>
        <button type="button" id="unfold">Unfold all</button>
        <button type="button" id="whole" hidden>Whole run</button>
        </div>
        <div class="bar" id="outcomes" role="group" aria-label="Show one outcome"></div>
        <p class="soft"><span id="count" role="status"></span>. Keys: / search, arrows move and fold, Enter open, Esc close. Drag over the time to zoom, Esc shows the whole run.</p>
        <div id="panes">
        <div id="scroller">
        <div id="axis" class="row">
        <span id="most" class="id soft"></span>
        <div id="plot" class="track">
        <svg viewBox="0 0 240 100" preserveAspectRatio="none" role="img" aria-label="Received bytes over the time of the run"><path id="flow"/></svg>
        <div id="ticks" aria-hidden="true"></div>
        <div id="chosen" hidden></div>
        </div>
        <span class="number soft">time</span><span class="number size soft">bytes</span>
        </div>
        <div id="list" role="tree" tabindex="0" aria-label="Tasks"></div>
        </div>
        <section id="details" tabindex="-1" aria-label="Details of a task" hidden></section>
        </div>
        <ul class="legend" id="legend" aria-label="Colours of the time"></ul>
        </section>
        </div>
        """#

    /// The content of the only `script` element that is run.
    static let script =
        "\n'use strict';\n(() => {\n" + HTMLScript.values + HTMLScript.axis + HTMLScript.list
        + HTMLScript.details + HTMLScript.overview + HTMLScript.start + "})();\n"
}
