internal import TransferModel

extension ReportDiff {
    /// The differences for people, at most `limit` tasks in each list; it ends with a line break.
    package func text(limit: Int) -> String {
        var lines = [
            "old: \(Self.head(of: old))",
            "new: \(Self.head(of: new))",
            counts,
        ]
        if let typicalPercent {
            lines.append(
                "a typical task took \(typicalPercent) % of its old time; "
                    + "slower is from \(slowerPercent) % on"
            )
        }
        lines += list("failed anew", failedAnew, limit, Self.failure)
        lines += list("recovered", recovered, limit, Self.outcomes)
        lines += list("slower", slower, limit, Self.times)
        lines += list("changed", changed, limit, Self.content)
        lines += list("came", came, limit) { [($0.new?.outcome.rawValue ?? "")] }
        lines += list("went", went, limit) { [($0.old?.outcome.rawValue ?? "")] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func head(of run: ReportedRun) -> String {
        "job \(shown(run.head.jobName)), run \(shown(run.head.runIdentifier)), "
            + "\(run.head.startDate.rfc3339.prefix(19))Z, "
            + "\(Quantity.duration(microseconds: run.durationMicroseconds)), "
            + "exit code \(run.exitCode)"
    }

    private var counts: String {
        let lists = [
            (failedAnew.count, "failed anew"), (recovered.count, "recovered"),
            (slower.count, "slower"), (changed.count, "changed"), (came.count, "came"),
            (went.count, "went"),
        ]
        let parts = lists.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(commonCount) \(commonCount == 1 ? "task" : "tasks") in both: "
            + (parts.isEmpty ? "no difference" : parts.joined(separator: ", "))
    }

    private func list(
        _ title: String,
        _ changes: [Change],
        _ limit: Int,
        _ describe: (Change) -> [String]
    ) -> [String] {
        guard !changes.isEmpty else { return [] }
        var lines = ["", title]
        for change in changes.prefix(limit) {
            let words = describe(change).map(Self.shown)
            lines.append("  \(Self.shown(change.id))  \(words.joined(separator: "\n      "))")
        }
        if changes.count > limit { lines.append("  and \(changes.count - limit) more") }
        return lines
    }

    /// The failure, and below it its place.
    private static func failure(_ change: Change) -> [String] {
        let kind = change.new?.kind.map { "\($0): \(change.message ?? "")" }
        var words = ["\(change.new?.outcome.rawValue ?? "")\(kind.map { ": \($0)" } ?? "")"]
        if let source = change.source {
            words.append("\(source.file):\(source.line):\(source.column)")
        }
        return words
    }

    private static func outcomes(_ change: Change) -> [String] {
        ["\(ending(change.old)) → \(ending(change.new))"]
    }

    private static func ending(_ end: End?) -> String {
        guard let end else { return "" }
        return end.outcome.rawValue + (end.kind.map { " (\($0))" } ?? "")
    }

    private static func times(_ change: Change) -> [String] {
        guard let old = change.old, let new = change.new else { return [] }
        let times = [old, new].map { Quantity.duration(microseconds: $0.durationMicroseconds) }
        return ["\(times[0]) → \(times[1])"]
    }

    /// The sizes where they differ, otherwise the checksums, otherwise the outcomes.
    private static func content(_ change: Change) -> [String] {
        guard let old = change.old?.file, let new = change.new?.file else {
            return outcomes(change)
        }
        if old.size != new.size { return ["\(old.size) B → \(new.size) B"] }
        let sums = [old, new].map { ($0.sha256 ?? "").prefix(12) }
        return ["SHA-256 \(sums[0])… → \(sums[1])…"]
    }

    private static func shown(_ text: String) -> String { ForeignText().line(text) }
}
