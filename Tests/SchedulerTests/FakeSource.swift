import Plan
import TransferModel

@testable import Scheduler

/// Tasks written down in a test.
struct FakeSource: TaskSource {
    struct Task: Sendable {
        var id: String
        var kind = TaskSpec.Kind.data
        var method = "GET"
        var url: String
        var headers: [HeaderField] = []
        var session = 0
        var access: NetworkAccess = [.flags, .unclassified]
        var needs: [Int] = []
        /// Other needs, and the ends of them with which the task starts.
        var when: [(need: Int, ends: [NeedEnd])] = []
        /// Whether the comparisons of `when` hold.
        var compares = true
        var isRequired = true
        var priority = 0.5
        var retry = RetryPolicy.none
        var destination: TaskSpec.Destination?
        var wantsKey = false
        var uploadResume = TaskSpec.Resume.nothing
        var earliestBeginDate: BeginDate?
        var mirrors: [String] = []
        /// The tasks whose captured values replace `$` in the URL.
        var uses: [Int] = []

        init(_ id: String, _ url: String = "http://a.test/") {
            self.id = id
            self.url = url
        }

        func with(_ change: (inout Task) -> Void) -> Task {
            var task = self
            change(&task)
            return task
        }
    }

    struct Undecodable: Error {}

    var tasks: [Task]

    var taskCount: Int { tasks.count }
    var mostAttempts: Int { tasks.map(\.retry.attempts).max() ?? 1 }
    func id(of task: Int) -> String { tasks[task].id }
    func kind(of task: Int) -> TaskSpec.Kind { tasks[task].kind }
    var graph: TaskGraph {
        var graph = TaskGraph()
        for task in tasks {
            for need in task.needs { graph.append(need, .success) }
            for (need, ends) in task.when {
                graph.append(need, NeedTerm(ends, alternative: 0, of: 1))
            }
            graph.endNode()
        }
        return graph
    }
    func isRequired(_ task: Int) -> Bool { tasks[task].isRequired }
    func priority(of task: Int) -> Double { tasks[task].priority }

    var captureUses: CaptureUses {
        var uses = CaptureUses()
        for (user, task) in tasks.enumerated() {
            for source in task.uses { uses.append(.init(user: user, source: source)) }
        }
        return uses
    }

    func heldAlternatives(of task: Int, captured: CapturedValues) -> AlternativeSet {
        tasks[task].compares ? .all : []
    }

    func place(deciding failure: TransferFailure, of task: Int) -> SourceLocation? { nil }

    func outline(of task: Int) -> TaskOutline {
        TaskOutline(
            session: tasks[task].session,
            method: tasks[task].method,
            url: tasks[task].url,
            description: nil,
            source: SourceLocation(file: "job.yaml", line: task + 1, column: 3)
        )
    }

    func task(at index: Int, captured: CapturedValues) throws -> TaskSpec {
        let task = tasks[index]
        let values = task.uses.compactMap { captured[$0]?.first?.text }
        guard values.count == task.uses.count else { throw PlanRejected(diagnostics: []) }
        let text = task.url.split(separator: "$", omittingEmptySubsequences: false)
            .joined(separator: values.joined(separator: ","))
        guard let url = try? TransferURL(text) else {
            guard task.uses.isEmpty else { throw PlanRejected(diagnostics: []) }
            throw Undecodable()
        }
        return TaskSpec(
            id: task.id,
            index: index,
            kind: task.kind,
            session: task.session,
            request: RequestSpec(method: task.method, url: url, headers: task.headers),
            wantsKey: task.wantsKey,
            uploadResume: task.uploadResume,
            destination: task.destination,
            mirrors: try task.mirrors.map { try TransferURL($0) },
            retry: task.retry,
            earliestBeginDate: task.earliestBeginDate,
            access: task.access,
            source: SourceLocation(file: "job.yaml", line: index + 1, column: 3)
        )
    }
}

extension RetryPolicy {
    /// A policy with one attempt.
    static var none: RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }

    /// The default policy without dice: waits of 1, 2, 4 … seconds.
    static var steady: RetryPolicy {
        var policy = RetryPolicy()
        policy.backoff.jitter = .none
        return policy
    }
}

extension TaskGraph {
    /// A graph of tasks by the numbers of their needs, each once.
    init(needs: [[Int]]) {
        self.init()
        for needs in needs {
            for need in needs { append(need, .success) }
            endNode()
        }
    }
}
