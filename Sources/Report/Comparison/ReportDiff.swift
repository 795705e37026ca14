internal import TransferModel

/// The differences between the reports of two runs.
///
/// Tasks are the same when they have the same id. Both reports are read from front to back; of each
/// task a few numbers stay in memory.
package struct ReportDiff {
    /// When a task counts as slower.
    package struct Limits: Sendable {
        /// The least ratio of its new time to its old one, percent.
        package var percent: Int64 = 150
        /// The least difference, microseconds.
        package var microseconds: Int64 = 100_000

        /// One and a half times as long, and 100 ms more.
        package init() {}
    }

    /// The end of a task in one of the reports.
    struct End: Hashable {
        var outcome: TaskOutcome
        /// The class of the failure; nil without one.
        var kind: String?
        var durationMicroseconds: Int64
        var file: ReportedTask.File?

        /// Whether its `when` kept the task from starting.
        var isRefused: Bool
        var isGood: Bool { outcome == .succeeded || outcome == .unchanged || isRefused }
    }

    /// A task with a difference; nil for the report that does not have it.
    struct Change: Hashable {
        var id: String
        var old: End?
        var new: End?
        /// The failure of the new run in one sentence; nil without one.
        var message: String?
        /// The task's place in the job file of the new run; nil for a task that is not there.
        var source: SourceLocation?
    }

    /// The fewest tasks by whose times the noise of the runs is estimated.
    static let leastSample = 8

    let old: ReportedRun
    let new: ReportedRun
    /// The number of tasks that both reports have.
    private(set) var commonCount = 0
    /// The median ratio of the new times to the old ones, percent; nil for fewer than `leastSample`
    /// tasks that succeeded in both runs.
    private(set) var typicalPercent: Int64?
    /// The least ratio by which a task counted as slower, percent.
    private(set) var slowerPercent: Int64
    /// Tasks that succeeded or were missing in the old run, and did not succeed in the new one.
    private(set) var failedAnew: [Change] = []
    /// Tasks that did not succeed in the old run only.
    private(set) var recovered: [Change] = []
    /// Tasks that succeeded in both runs and took longer in the new one, the longest wait first.
    private(set) var slower: [Change] = []
    /// Tasks with another size or checksum of their file, another end without success, or another
    /// decision of their `when`.
    private(set) var changed: [Change] = []
    /// Tasks of the new run only.
    private(set) var came: [Change] = []
    /// Tasks of the old run only, in the order of their ids.
    private(set) var went: [Change] = []

    /// Whether a task failed anew or became slower.
    package var isWorse: Bool { !failedAnew.isEmpty || !slower.isEmpty }

    /// Compares two reports.
    ///
    /// A time counts as slower by both `limits`, and only beyond the noise of the runs: the ratios
    /// of all tasks spread, and a task counts only outside three times their interquartile range.
    ///
    /// - Throws: `ReportFault` for a task that cannot be read, `ReportDetail.Lack` for a report
    ///   that lacks tasks; the error of a file that cannot be read.
    package init(from old: ReportReader, to new: ReportReader, limits: Limits = Limits()) throws {
        (self.old, self.new) = (old.run, new.run)
        slowerPercent = limits.percent
        for report in [old, new] { try report.require(.failures) }
        var ends: [String: End] = [:]
        try old.forEachTask { ends[$0.id] = End($0) }
        var ratios: [Int64] = []
        try new.forEachTask { task in
            let change = Change(
                id: task.id,
                old: ends.removeValue(forKey: task.id),
                new: End(task),
                message: task.failure?.message,
                source: task.place
            )
            if let ratio = add(change, limits) { ratios.append(ratio) }
        }
        went = ends.map { Change(id: $0.key, old: $0.value) }.sorted { $0.id < $1.id }
        removeNoise(ratios.sorted())
    }

    /// Sorts a task of the new report in; returns the ratio of its times when it succeeded in both
    /// runs.
    private mutating func add(_ change: Change, _ limits: Limits) -> Int64? {
        guard let new = change.new else { return nil }
        guard let old = change.old else {
            came.append(change)
            if !new.isGood { failedAnew.append(change) }
            return nil
        }
        commonCount += 1
        switch (old.isGood, new.isGood) {
        case (true, false): failedAnew.append(change)
        case (false, true): recovered.append(change)
        case (false, false):
            if old.outcome != new.outcome || old.kind != new.kind { changed.append(change) }
        case (true, true):
            if old.hasOtherFile(than: new) || old.isRefused != new.isRefused {
                changed.append(change)
            }
        }
        guard old.outcome == .succeeded, new.outcome == .succeeded else { return nil }
        let ratio = change.percent
        if ratio >= limits.percent,
            new.durationMicroseconds - old.durationMicroseconds >= limits.microseconds
        {
            slower.append(change)
        }
        return ratio
    }

    /// Keeps only the slower tasks outside the noise, which the sorted `ratios` show.
    private mutating func removeNoise(_ ratios: [Int64]) {
        if ratios.count >= Self.leastSample {
            let median = ratios[ratios.count / 2]
            typicalPercent = median
            let range = ratios[ratios.count * 3 / 4] - ratios[ratios.count / 4]
            // Relative to the median: a run that is slower as a whole is no excuse for itself.
            let spread = min(300 * range / max(1, median), 1_000_000)
            slowerPercent = max(slowerPercent, 100 + spread)
        }
        let limit = slowerPercent
        slower.removeAll { $0.percent < limit }
        slower.sort { ($0.delay, $1.id) > ($1.delay, $0.id) }
    }
}

extension ReportDiff.End {
    init(_ task: ReportedTask) {
        outcome = task.outcome
        kind = task.failure?.kind
        isRefused = task.isRefused
        durationMicroseconds = task.durationMicroseconds
        file = task.file
    }

    /// Whether two successes left files of another size or content, as far as that is known.
    func hasOtherFile(than other: Self) -> Bool {
        guard let file, let otherFile = other.file else { return false }
        if file.size != otherFile.size { return true }
        guard let sum = file.sha256, let otherSum = otherFile.sha256 else { return false }
        return sum != otherSum
    }
}

extension ReportDiff.Change {
    /// The new time in percent of the old one; 0 without both.
    fileprivate var percent: Int64 {
        guard let old, let new else { return 0 }
        let (product, isTooLarge) = new.durationMicroseconds.multipliedReportingOverflow(by: 100)
        return isTooLarge
            ? .max / 1000 : min(product / max(1, old.durationMicroseconds), .max / 1000)
    }

    /// The additional time, microseconds; 0 without both times.
    fileprivate var delay: Int64 {
        guard let old, let new else { return 0 }
        return new.durationMicroseconds - old.durationMicroseconds
    }
}

extension ReportDiff {
    /// The differences for people, at most `limit` tasks in each list; it ends with a line break.
    package func text(limit: Int) -> String {
        var lines = ["old: \(Self.head(of: old))", "new: \(Self.head(of: new))", counts]
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
