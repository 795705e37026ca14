import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

/// Forecasts the run's action for each task of a plan here and now.
struct PlanForecast {
    private let plan: Plan
    /// The users of values that other tasks capture: their settings are not known yet.
    private let users: Set<Int>

    init(_ plan: Plan) {
        self.plan = plan
        users = Set(plan.captureUses.pairs.map(\.user))
    }

    /// The run's action for the task at an index; `destination` is the shown text of its
    /// destination.
    func outlook(_ index: Int, _ destination: String) -> TaskOutlook {
        guard !users.contains(index), let task = try? plan.task(at: index, captured: .init()) else {
            return Self.blank(plan.kind(of: index))
        }
        let forecast = TaskForecast(of: task, TaskFacts(of: task))
        let path = task.destination == nil ? "" : destination
        return Self.outlook(of: task, forecast, at: path, isKept: isKept(task))
    }

    private func isKept(_ task: TaskSpec) -> Bool {
        plan.sessions.indices.contains(task.session)
            && plan.sessions[task.session].kind == .background
    }

    /// The outlook of a task whose settings are not known yet.
    private static func blank(_ kind: TaskSpec.Kind) -> TaskOutlook {
        let action: TaskOutlook.Action =
            switch kind {
            case .upload: .send
            case .data, .download: .fetch
            case .webSocket, .stream: .connect
            }
        return TaskOutlook(action, "what other tasks capture decides")
    }

    private static func outlook(
        of task: TaskSpec,
        _ forecast: TaskForecast,
        at path: String,
        isKept: Bool
    ) -> TaskOutlook {
        // Its journal may know that nothing is left to do.
        let ended = isKept ? ", unless an earlier run of the background session has ended it" : ""
        switch forecast {
        case .send(let method): return TaskOutlook(.send, method + ended)
        case .connect: return TaskOutlook(.connect, "")
        case .fetch(.new): return TaskOutlook(.fetch, path + ended)
        case .fetch(.replaced): return TaskOutlook(.fetch, "replaces \(path)" + ended)
        case .fetch(.different):
            return TaskOutlook(.fetch, "\(path) has another checksum" + ended)
        case .fetch(.named): return TaskOutlook(.fetch, "the server names the file" + ended)
        case .fetchChecksum:
            return TaskOutlook(.check, "the list of checksums decides about \(path)" + ended)
        case .revalidate:
            return TaskOutlook(.check, "whether \(path) has changed" + ended)
        case .resume(let count, let total):
            return TaskOutlook(
                .resume,
                "\(path), \(Quantity.bytes(count)) of \(Quantity.bytes(total)) are there" + ended,
                presentBytes: count,
                totalBytes: total
            )
        case .keep(isVerified: true): return TaskOutlook(.keep, "\(path) has its checksum")
        case .keep(isVerified: false): return TaskOutlook(.keep, "\(path) exists")
        case .fail(.exists):
            return TaskOutlook(.fail, "`\(path)` exists, and `ifExists` is `fail`")
        case .fail(.unusable(var error)):
            error.subject = path
            return TaskOutlook(.fail, error.message)
        }
    }
}
