internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes an HTTP Archive (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/): one entry for
/// each exchange, and one page, the run: some readers show entries of pages only.
///
/// Bodies are not in a report, so that `content` has no text. Steps that did not happen are -1.
/// Members that begin with `_` are the runner's own: the task's id, the attempt and the reason.
struct HARExport: ReportExport {
    var text: [UInt8] = []
    private var json = JSONText()

    private static let page = "run"

    /// Makes the writer a part of a value that can be copied.
    private final class JSONText {
        var writer = JSONWriter()
    }

    mutating func open(_ head: ReportedHead) {
        json = JSONText()
        json.writer.beginObject()
        json.writer.key(plain: "log")
        json.writer.beginObject()
        json.writer.member("version", "1.2")
        json.writer.object("creator") { writer in
            writer.member("name", "runner")
            writer.member("version", head.runnerVersion)
        }
        json.writer.member("comment", "run \(head.runIdentifier) of job \(head.jobName)")
        writePage(head)
        json.writer.key(plain: "entries")
        json.writer.beginArray()
        drain()
    }

    mutating func receive(_ task: ReportedTask) throws(ReportFault) {
        for exchange in try task.exchanges() {
            json.writer.newline()
            write(exchange, of: task)
        }
        drain()
    }

    mutating func finish(_ run: ReportedRun) {
        json.writer.newline()
        json.writer.endArray()
        json.writer.endObject()
        json.writer.endObject()
        json.writer.newline()
        drain()
    }

    private func writePage(_ head: ReportedHead) {
        json.writer.array("pages", of: [head]) { head, writer in
            writer.object { writer in
                writer.member("startedDateTime", head.startDate.rfc3339)
                writer.member("id", Self.page)
                writer.member("title", head.jobName)
                writer.object("pageTimings") { _ in }
            }
        }
    }

    private mutating func drain() {
        json.writer.drain { text.append($0) }
    }

    private func write(_ exchange: ReportedExchange, of task: ReportedTask) {
        let timings = ExchangeTimings(exchange)
        json.writer.beginObject()
        json.writer.member("pageref", Self.page)
        json.writer.member("startedDateTime", exchange.steps.fetchStart.rfc3339)
        json.writer.key(plain: "time")
        json.writer.raw(Decimal.milliseconds(timings.total).utf8)
        json.writer.key(plain: "request")
        writeRequest(exchange)
        json.writer.key(plain: "response")
        writeResponse(exchange)
        json.writer.object("cache") { _ in }
        json.writer.key(plain: "timings")
        timings.write(to: &json.writer)
        if let address = exchange.remoteAddress {
            json.writer.member("serverIPAddress", address)
        }
        if let connection = exchange.connectionIdentifier {
            json.writer.member("connection", "\(connection)")
        }
        json.writer.member("_task", task.id)
        json.writer.member("_attempt", exchange.attempt)
        json.writer.member("_reason", exchange.reason)
        json.writer.member("_fromCache", exchange.isFromCache)
        json.writer.endObject()
    }

    private func writeRequest(_ exchange: ReportedExchange) {
        json.writer.beginObject()
        json.writer.member("method", exchange.method)
        json.writer.member("url", exchange.url)
        json.writer.member("httpVersion", Self.version(of: exchange))
        json.writer.array("cookies") { _ in }
        writeFields(exchange.requestFields)
        writeQuery(of: exchange.url)
        json.writer.member("headersSize", exchange.requestHeaderBytes)
        json.writer.member("bodySize", exchange.requestBodyBytes)
        json.writer.endObject()
    }

    private func writeResponse(_ exchange: ReportedExchange) {
        json.writer.beginObject()
        // 0 and an empty text without a response, as browsers write them.
        json.writer.member("status", exchange.statusCode ?? 0)
        json.writer.member("statusText", "")
        json.writer.member(
            "httpVersion",
            exchange.statusCode == nil ? "" : Self.version(of: exchange)
        )
        json.writer.array("cookies") { _ in }
        writeFields(exchange.responseFields)
        json.writer.object("content") { writer in
            writer.member("size", exchange.decodedBodyBytes)
            writer.member("compression", exchange.decodedBodyBytes - exchange.responseBodyBytes)
            writer.member("mimeType", exchange.mimeType ?? "x-unknown")
        }
        let location = exchange.responseFields.first {
            $0.name.utf8.span.isEqualIgnoringCase("location".utf8.span)
        }
        json.writer.member("redirectURL", location?.value ?? "")
        json.writer.member("headersSize", exchange.responseHeaderBytes)
        json.writer.member("bodySize", exchange.isFromCache ? 0 : exchange.responseBodyBytes)
        json.writer.endObject()
    }

    private func writeFields(_ fields: [ReportedExchange.Field]) {
        json.writer.array("headers", of: fields) { field, writer in
            writer.object { writer in
                writer.member("name", field.name)
                writer.member("value", field.value)
            }
        }
    }

    private func writeQuery(of url: String) {
        json.writer.key(plain: "queryString")
        json.writer.beginArray()
        let front = url.splitAtBytes("#", maxSplits: 1, omittingEmpty: false)[0]
        let query = front.splitAtBytes("?", maxSplits: 1, omittingEmpty: false).dropFirst().first
        for part in query?.splitAtBytes("&") ?? [] {
            let pair = part.splitAtBytes("=", maxSplits: 1, omittingEmpty: false)
            json.writer.beginObject()
            json.writer.member("name", Self.decoded(pair[0]))
            json.writer.member("value", Self.decoded(pair.dropFirst().first ?? ""))
            json.writer.endObject()
        }
        json.writer.endArray()
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentCoding.decodeLeniently(spaced), as: UTF8.self)
    }

    private static func version(of exchange: ReportedExchange) -> String {
        switch exchange.protocolName {
        case "h2": "HTTP/2.0"
        case "h3": "HTTP/3.0"
        case let name?: name.uppercased()
        case nil: "HTTP/1.1"
        }
    }
}

extension ExchangeTimings {
    /// The object `timings` of an entry.
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, value) in [("blocked", blocked), ("dns", dns), ("connect", connect)] {
            json.key(name)
            json.raw((value.map(Decimal.milliseconds) ?? "-1").utf8)
        }
        for (name, value) in [("send", send), ("wait", wait), ("receive", receive)] {
            json.key(name)
            json.raw(Decimal.milliseconds(value).utf8)
        }
        json.key(plain: "ssl")
        json.raw((ssl.map(Decimal.milliseconds) ?? "-1").utf8)
        json.endObject()
    }
}
