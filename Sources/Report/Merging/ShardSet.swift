internal import JSON
internal import TransferModel

/// The runs of several reports: each once, and of all shards of one job file when they are of
/// shards.
struct ShardSet {
    /// The shards of the reports; none when the reports are of the whole job.
    private let shards: [Shard]

    /// Checks the reports of one job; of several reports of one shard the later runs are retries.
    init(of reports: [ReportReader]) throws(ReportMergeFault) {
        try Self.requireDifferentRuns(reports)
        var all: [Shard?] = []
        for (index, report) in reports.enumerated() {
            all.append(try report.shard(at: index))
            guard all[index]?.count == all[0]?.count else {
                let own = all[index].map { "the shard \($0.text)" } ?? "the whole job"
                let first = all[0].map { "the shard \($0.text)" } ?? "the whole job"
                throw ReportMergeFault(
                    index: index,
                    message: "is of \(own), and the first report of \(first)"
                )
            }
        }
        shards = all.compactMap(\.self)
        guard let first = shards.first else { return }
        for (index, report) in reports.enumerated()
        where report.jobSHA256 != reports[0].jobSHA256 {
            throw ReportMergeFault(
                index: index,
                message: "is of another version of the job file than the first report"
            )
        }
        try Self.requireAll(of: shards, first.count)
        try requireWhole(reports)
    }

    private static func requireDifferentRuns(_ reports: [ReportReader]) throws(ReportMergeFault) {
        var known: [String: Int] = [:]
        for (index, report) in reports.enumerated() {
            for run in report.runs {
                guard let other = known.updateValue(index, forKey: run) else { continue }
                let shown = ForeignText().line(run)
                throw ReportMergeFault(
                    index: index,
                    message: "is of the run `\(shown)`, as is report \(other + 1) of "
                        + "\(reports.count)"
                )
            }
        }
    }

    private static func requireAll(of shards: [Shard], _ count: Int) throws(ReportMergeFault) {
        let present = Set(shards.map(\.index))
        let missing = (1...count).filter { !present.contains($0) }
        guard !missing.isEmpty else { return }
        let shown = missing.prefix(10).map { "\($0)/\(count)" }.joined(separator: ", ")
        let more = missing.count > 10 ? " and \(missing.count - 10) more" : ""
        throw ReportMergeFault(index: nil, message: "no report is of the shards \(shown)\(more)")
    }

    /// Refuses a shard of which all reports are of some of its tasks.
    private func requireWhole(_ reports: [ReportReader]) throws(ReportMergeFault) {
        let whole = Set(zip(shards, reports).filter { $1.selection == nil }.map(\.0))
        for (index, shard) in shards.enumerated() where !whole.contains(shard) {
            throw ReportMergeFault(
                index: index,
                message: "is of some tasks of the shard \(shard.text) (`run.selection`), and no "
                    + "report is of all of them"
            )
        }
    }

    /// Refuses a task that two shards have run.
    func requireSameShard(_ one: Int, _ other: Int, of task: String) throws(ReportMergeFault) {
        guard !shards.isEmpty, shards[one] != shards[other] else { return }
        let id = ForeignText().line(task)
        throw ReportMergeFault(
            index: one,
            message: "has the task `\(id)`, as has the report of the shard \(shards[other].text)"
        )
    }
}

extension ReportReader {
    /// The ids of the runs of the report: several for one that was merged.
    var runs: [String] {
        let merged = frame["run"]?["merge"]?["runs"]?.elements.compactMap(\.string) ?? []
        return merged.isEmpty ? [run.head.runIdentifier] : merged
    }

    /// The hash of the job file; nil if it was not computed.
    var jobSHA256: String? { frame["job"]?["sha256"]?.string }

    /// The option that chose some tasks; nil for a run of all of them.
    var selection: String? { frame["run"]?["selection"]?.string }

    /// The part of the job that the run did; nil for the whole job.
    fileprivate func shard(at index: Int) throws(ReportMergeFault) -> Shard? {
        guard let text = frame["run"]?["shard"]?.string else { return nil }
        do throws(Shard.Fault) {
            return try Shard(text)
        } catch {
            throw ReportMergeFault(index: index, message: "has a false `shard`: \(error.message)")
        }
    }
}
