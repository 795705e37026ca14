package import JSON

/// The invariants of every report beyond its schema: ordered dates, nulls after failures, sums.
package struct ReportInvariants: Sendable {
    private let report: JSONValue

    /// Creates a check of one parsed JSON report.
    package init(report: JSONValue) {
        self.report = report
    }

    /// All violations with their places; empty if there are none.
    package func violations() -> [String] {
        let tasks = report["tasks"]?.elements ?? []
        return tasks.flatMap(check(task:)) + checkSummary(tasks) + checkRun(tasks)
    }

    private func check(task: JSONValue) -> [String] {
        let id = task["id"]?.string ?? "?"
        let exchanges = task["metrics"]?["transactionMetrics"]?.elements ?? []
        var found: [String] = []
        for (index, exchange) in exchanges.enumerated() {
            found += ExchangeInvariants(exchange).violations().map {
                "\(id), exchange \(index): \($0)"
            }
        }
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
        let hops = exchanges.count { $0["reason"]?.string == "redirect" }
        // The count also includes redirects of omitted attempts.
        let redirects = task["metrics"]?["redirectCount"]?.integer ?? -1
        if omittedAttempts(of: task) > 0 ? redirects < hops : redirects != hops {
            found.append("\(id): redirectCount is not the number of redirects")
        }
        return found + checkAttempts(task, exchanges, at: id)
    }

    /// Attempts are ordered within the task, and exchanges within their attempts.
    private func checkAttempts(
        _ task: JSONValue,
        _ exchanges: [JSONValue],
        at id: String
    ) -> [String] {
        let attempts = task["attempts"]?.elements ?? []
        let numbers = attempts.map { $0["number"]?.integer ?? 0 }
        let interval = task["metrics"]?["taskInterval"] ?? .null
        var found = checkOrder(interval, ["start", "end"], at: "\(id), taskInterval")
        let gaps = zip([0] + numbers, numbers).map { $1 - $0 - 1 }
        if gaps.contains(where: { $0 < 0 }) || gaps.first.map({ $0 > 0 }) ?? false
            || gaps.reduce(0, +) != omittedAttempts(of: task)
        {
            found.append("\(id): attempts are not numbered from 1")
        }
        let limits =
            [interval["start"]]
            + attempts.flatMap { [$0["startDate"], $0["endDate"]] } + [interval["end"]]
        found += checkOrder(limits.map { $0 ?? .null }, at: "\(id), attempts")
        for (index, exchange) in exchanges.enumerated() {
            guard let number = exchange["attempt"]?.integer,
                let position = numbers.firstIndex(of: number)
            else {
                found.append("\(id), exchange \(index): its attempt is not there")
                continue
            }
            let attempt = attempts[position]
            let dates = ExchangeInvariants(exchange).dates
            found += checkOrder(
                [attempt["startDate"] ?? .null] + [dates.first, dates.last].compactMap(\.self)
                    + [attempt["endDate"] ?? .null],
                at: "\(id), exchange \(index) in its attempt"
            )
        }
        return found
    }

    /// The number of attempts that the report omits.
    private func omittedAttempts(of task: JSONValue) -> Int64 {
        task["extension"]?["omittedAttempts"]?.integer ?? 0
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
        expect(
            "attempts",
            sum { Int64($0["attempts"]?.elements.count ?? 0) + omittedAttempts(of: $0) }
        )
        expect("redirects", sum { $0["metrics"]?["redirectCount"]?.integer })
        expect(
            "cacheHits",
            sum { task in
                let exchanges = task["metrics"]?["transactionMetrics"]?.elements ?? []
                return Int64(exchanges.count { $0["resourceFetchType"]?.string == "localCache" })
            }
        )
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
        for task in tasks {
            let interval = task["metrics"]?["taskInterval"] ?? .null
            let dates = [run["startDate"], interval["start"], interval["end"], run["endDate"]]
            found += checkOrder(
                dates.map { $0 ?? .null },
                at: "\(task["id"]?.string ?? "?"), in the run"
            )
        }
        return found
    }

    private func checkOrder(_ value: JSONValue, _ names: [String], at place: String) -> [String] {
        checkOrder(names.map { value[$0] ?? .null }, at: place)
    }

    /// RFC 3339 texts in UTC with the same number of digits sort by time.
    private func checkOrder(_ dates: [JSONValue], at place: String) -> [String] {
        let texts = dates.compactMap(\.string)
        return zip(texts, texts.dropFirst()).contains { $0 > $1 } ? ["\(place): out of order"] : []
    }
}
