package import JSON

/// What holds in every report beyond its schema: dates in order, nulls after failures, sums.
package struct ReportInvariants: Sendable {
    /// A connection's steps and the request's, in their order in time.
    private static let requestOrder = [
        "fetchStartDate", "domainLookupStartDate", "domainLookupEndDate", "connectStartDate",
        "secureConnectionStartDate", "secureConnectionEndDate", "connectEndDate",
        "requestStartDate", "requestEndDate",
    ]
    /// An early answer may begin before the request has been sent.
    private static let responseOrder = [
        "fetchStartDate", "requestStartDate", "responseStartDate", "responseEndDate",
    ]
    /// What began before it ended: without a beginning there is no end.
    private static let steps = [
        ("domainLookupStartDate", "domainLookupEndDate"),
        ("secureConnectionStartDate", "secureConnectionEndDate"),
        ("connectStartDate", "connectEndDate"),
        ("requestStartDate", "requestEndDate"),
        ("requestStartDate", "responseStartDate"),
        ("responseStartDate", "responseEndDate"),
    ]
    private static let connectionDates = [
        "domainLookupStartDate", "domainLookupEndDate", "connectStartDate",
        "secureConnectionStartDate", "secureConnectionEndDate", "connectEndDate",
    ]

    private let report: JSONValue

    package init(report: JSONValue) {
        self.report = report
    }

    /// Every broken rule with its place; empty when all hold.
    package func violations() -> [String] {
        let tasks = report["tasks"]?.elements ?? []
        return tasks.flatMap(check(task:)) + checkSummary(tasks) + checkRun(tasks)
    }

    private func check(task: JSONValue) -> [String] {
        let id = task["id"]?.string ?? "?"
        let metrics = task["metrics"] ?? .null
        let exchanges = metrics["transactionMetrics"]?.elements ?? []
        let interval = metrics["taskInterval"] ?? .null
        var found: [String] = []
        for (index, exchange) in exchanges.enumerated() {
            found += check(exchange: exchange, at: "\(id), exchange \(index)")
        }
        found += checkOrder(interval, ["start", "end"], at: "\(id), taskInterval")
        found += checkOrder(exchanges.map { $0["fetchStartDate"] ?? .null }, at: "\(id), exchanges")
        let outcome = task["outcome"]?.string ?? ""
        let hasFailed = outcome == "failed" || outcome == "cancelled"
        if task["error"]?.isNull == true, hasFailed { found.append("\(id): \(outcome), no error") }
        if task["error"]?.isNull == false, outcome == "succeeded" || outcome == "unchanged" {
            found.append("\(id): \(outcome) with an error")
        }
        let checks = task["checks"]?.elements ?? []
        if checks.dropLast().contains(where: { $0["passed"]?.bool == false }) {
            found.append("\(id): a check ran after one that failed")
        }
        let numbers = (task["attempts"]?.elements ?? []).compactMap { $0["number"]?.integer }
        if numbers != Array(1...Int64(numbers.count + 1)).dropLast() {
            found.append("\(id): attempts are not numbered from 1")
        }
        let hops = exchanges.count { $0["reason"]?.string == "redirect" }
        if metrics["redirectCount"]?.integer != Int64(hops) {
            found.append("\(id): redirectCount is not the number of redirects")
        }
        return found
    }

    private func check(exchange: JSONValue, at place: String) -> [String] {
        var found = checkOrder(exchange, Self.requestOrder, at: place)
        found += checkOrder(exchange, Self.responseOrder, at: place)
        for (start, end) in Self.steps where exchange[start]?.isNull == true {
            if exchange[end]?.isNull == false { found.append("\(place): \(end) without \(start)") }
        }
        if exchange["isReusedConnection"] == .bool(true) {
            for name in Self.connectionDates where exchange[name]?.isNull == false {
                found.append("\(place): \(name) on a reused connection")
            }
        }
        if exchange["connectStartDate"]?.isNull == false,
            exchange["connectEndDate"]?.isNull == true,
            exchange["requestStartDate"]?.isNull == false
        {
            found.append("\(place): a request without a connection")
        }
        if exchange["response"]?.isNull == true, exchange["responseEndDate"]?.isNull == false {
            found.append("\(place): an end without a response")
        }
        if exchange["extension"]?["proxy"]?.isNull == exchange["isProxyConnection"]?.bool {
            found.append("\(place): isProxyConnection does not say whether there is a proxy")
        }
        if exchange["extension"]?["proxyTunnel"]?.isNull == false,
            exchange["connectStartDate"]?.isNull == true
        {
            found.append("\(place): a tunnel that was made on a reused connection")
        }
        let isSecure = exchange["secureConnectionEndDate"]?.isNull == false
        if isSecure, exchange["negotiatedTLSProtocolVersion"]?.isNull == true {
            found.append("\(place): TLS without its version")
        }
        return found
    }

    private func checkSummary(_ tasks: [JSONValue]) -> [String] {
        let summary = report["summary"] ?? .null
        var found: [String] = []
        func expect(_ name: String, _ sum: Int) {
            if summary[name]?.integer != Int64(sum) {
                found.append("summary.\(name): \(summary[name]?.integer ?? -1), not \(sum)")
            }
        }
        func sum(_ value: (JSONValue) -> Int64?) -> Int {
            tasks.reduce(0) { $0 + Int(value($1) ?? 0) }
        }
        expect("tasks", tasks.count)
        for outcome in ["succeeded", "failed", "deferred", "cancelled", "skipped", "unchanged"] {
            expect(outcome, tasks.count { $0["outcome"]?.string == outcome })
        }
        expect("attempts", sum { Int64($0["attempts"]?.elements.count ?? 0) })
        expect("redirects", sum { $0["metrics"]?["redirectCount"]?.integer })
        expect("countOfBytesSent", sum { $0["countOfBytesSent"]?.integer })
        expect("countOfBytesReceived", sum { $0["countOfBytesReceived"]?.integer })
        return found
    }

    private func checkRun(_ tasks: [JSONValue]) -> [String] {
        let run = report["run"] ?? .null
        let identifiers = tasks.compactMap { $0["taskIdentifier"]?.integer }
        let ids = tasks.compactMap { $0["id"]?.string }
        var found = checkOrder(run, ["startDate", "endDate"], at: "run")
        if Set(identifiers).count != tasks.count { found.append("taskIdentifier is repeated") }
        if Set(ids).count != tasks.count { found.append("id is repeated") }
        return found
    }

    private func checkOrder(_ value: JSONValue, _ names: [String], at place: String) -> [String] {
        let known = names.filter { value[$0]?.string != nil }
        return zip(known, known.dropFirst()).compactMap { earlier, later in
            guard let first = value[earlier]?.string, let second = value[later]?.string,
                first > second
            else { return nil }
            return "\(place): \(later) is before \(earlier)"
        }
    }

    private func checkOrder(_ dates: [JSONValue], at place: String) -> [String] {
        let texts = dates.compactMap(\.string)
        return zip(texts, texts.dropFirst()).contains { $0 > $1 } ? ["\(place): out of order"] : []
    }
}
