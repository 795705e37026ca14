import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

/// Forecasts the run's action for each task of a plan here and now.
struct PlanForecast {
    /// The most tasks that one line names.
    private static let mostNames = 3

    private let plan: Plan
    /// The answers of the servers; nil when they are not asked.
    private(set) var answers: ServerAnswers?
    /// The forecasts of downloads by the file system alone, if servers were asked.
    private var known: [Int: TaskForecast] = [:]

    init(_ plan: Plan) { self.plan = plan }

    /// Asks the servers of the downloads that a run would request.
    ///
    /// - Throws: `Exit` for a fault that would keep a run from beginning.
    mutating func ask(_ questions: PlanQuestions) throws {
        var asked: Set<Int> = []
        for index in 0..<plan.taskCount where plan.kind(of: index) == .download {
            guard let task = task(index) else { continue }
            let forecast = TaskForecast(of: task, TaskFacts(of: task))
            known[index] = forecast
            if forecast.canBeAsked(about: task) { asked.insert(index) }
        }
        answers = try questions.answers(about: asked)
    }

    /// The run's action for the task at an index; `destination` is the shown text of its
    /// destination.
    func outlook(_ index: Int, _ destination: String) -> TaskOutlook {
        guard let task = task(index) else { return blank(index) }
        let words = Words(
            path: task.destination == nil ? "" : destination,
            evidence: task.destination?.presentVoucher.rawValue ?? "",
            isKept: plan.sessions.indices.contains(task.session)
                && plan.sessions[task.session].kind == .background
        )
        let forecast = known[index] ?? TaskForecast(of: task, TaskFacts(of: task))
        switch answers?[index] {
        case .keep?: return words.kept(forecast)
        case .fetch(let size)?: return words.fetched(forecast, size)
        case .fail(let reason, let mayChange)?:
            let needs = mayChange ? plan.needs(of: index) : []
            if needs.isEmpty { return TaskOutlook(.fail, reason, isAsked: true) }
            let outlook = words.outlook(forecast)
            let text = "\(outlook.detail), \(Self.unknown(until: needs)): \(reason)"
            return TaskOutlook(outlook.action, text, isAsked: true)
        case nil: return words.outlook(forecast)
        }
    }

    /// A task whose settings are known; nil for one with captured values of other tasks.
    private func task(_ index: Int) -> TaskSpec? {
        guard plan.captureUses.sources(of: index).isEmpty else { return nil }
        return try? plan.task(at: index, captured: .init())
    }

    /// The outlook of a task whose settings are not known yet.
    private func blank(_ index: Int) -> TaskOutlook {
        let kind = plan.kind(of: index)
        let action: TaskOutlook.Action =
            switch kind {
            case .upload: .send
            case .data, .download: .fetch
            case .webSocket, .stream: .connect
            }
        let sources = plan.captureUses.sources(of: index).map { plan.id(of: $0) }
        guard answers != nil, kind == .download, !sources.isEmpty else {
            return TaskOutlook(action, "depends on values that other tasks capture")
        }
        return TaskOutlook(action, Self.unknown(until: sources))
    }

    /// `unknown until a and b have run`.
    private static func unknown(until ids: [String]) -> String {
        var names = ids.prefix(mostNames).map { "`\($0)`" }
        if ids.count > names.count { names.append("\(ids.count - names.count) more") }
        let last = names.removeLast()
        let front = names.isEmpty ? "" : names.joined(separator: ", ") + " and "
        return "unknown until \(front)\(last) \(ids.count == 1 ? "has" : "have") run"
    }
}

/// The words about one task of a plan.
private struct Words {
    /// The shown text of the destination; empty without one.
    let path: String
    /// What vouches for a file that is there.
    let evidence: String
    /// Whether the journal of a background session may have the task as ended.
    let isKept: Bool

    private var end: String {
        isKept ? ", unless an earlier run of the background session has ended it" : ""
    }

    /// The outlook by the file system alone.
    func outlook(_ forecast: TaskForecast) -> TaskOutlook {
        switch forecast {
        case .send(let method): return TaskOutlook(.send, method + end)
        case .connect: return TaskOutlook(.connect, "")
        case .fetch(let file): return TaskOutlook(.fetch, words(file) + end)
        case .fetchChecksum:
            return TaskOutlook(.check, "the list of checksums decides about \(path)" + end)
        case .awaitSignature:
            return TaskOutlook(.check, "the signature of \(path) cannot be checked yet" + end)
        case .revalidate: return TaskOutlook(.check, "whether \(path) has changed" + end)
        case .resume(let count, let total):
            return TaskOutlook(
                .resume,
                "\(path), \(Quantity.bytes(count)) of \(Quantity.bytes(total)) are there" + end,
                presentBytes: count,
                totalBytes: total
            )
        case .keep(isVerified: true): return TaskOutlook(.keep, "\(path) has its \(evidence)")
        case .keep(isVerified: false): return TaskOutlook(.keep, "\(path) exists")
        case .fail(.exists):
            return TaskOutlook(.fail, "`\(path)` exists, and `ifExists` is `fail`")
        case .fail(.unusable(var error)):
            error.subject = path
            return TaskOutlook(.fail, error.message)
        }
    }

    /// The outlook of a task whose server has a response for it.
    func fetched(_ forecast: TaskForecast, _ size: Int64?) -> TaskOutlook {
        let file: TaskForecast.File =
            switch forecast {
            case .fetch(let file): file
            case .fetchChecksum: .different
            default: .replaced
            }
        let length = size.map(Quantity.bytes) ?? "of unknown size"
        let text = "\(words(file)), \(length)" + end
        return TaskOutlook(.fetch, text, totalBytes: size, isAsked: true)
    }

    /// The outlook of a task whose file stays.
    func kept(_ forecast: TaskForecast) -> TaskOutlook {
        let text =
            switch forecast {
            case .fetchChecksum: "\(path) has its checksum"
            case .fetch(.named): "the file that the server names exists"
            default: "\(path) has not changed"
            }
        return TaskOutlook(.keep, text + end, isAsked: true)
    }

    private func words(_ file: TaskForecast.File) -> String {
        switch file {
        case .new: path
        case .replaced: "replaces \(path)"
        case .different: "\(path) has another \(evidence)"
        case .named: "the server names the file"
        }
    }
}

/// The size of the files that a run would fetch.
struct FetchedSize {
    private var bytes: Int64 = 0
    /// Whether the size of a file is not known.
    private var isIncomplete = false

    /// Adds the file of a task.
    mutating func add(_ outlook: TaskOutlook) {
        guard outlook.action == .fetch || outlook.action == .resume else { return }
        guard let total = outlook.totalBytes else { return isIncomplete = true }
        bytes = bytes.addingSaturated(total - (outlook.presentBytes ?? 0))
    }

    /// `to fetch: at least 4.0 MiB`; nil if nothing is known.
    var text: String? {
        guard bytes > 0 else { return nil }
        return "to fetch: \(isIncomplete ? "at least " : "")\(Quantity.bytes(bytes))"
    }
}
