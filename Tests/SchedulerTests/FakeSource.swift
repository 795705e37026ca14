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
        var needs: [Int] = []
        var isRequired = true
        var priority = 0.5
        var retry = RetryPolicy.none
        var destination: TaskSpec.Destination?
        var mirrors: [String] = []

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
    func id(of task: Int) -> String { tasks[task].id }
    func kind(of task: Int) -> TaskSpec.Kind { tasks[task].kind }
    func needs(of task: Int) -> [Int] { tasks[task].needs }
    func isRequired(_ task: Int) -> Bool { tasks[task].isRequired }
    func priority(of task: Int) -> Double { tasks[task].priority }

    func task(at index: Int) throws -> TaskSpec {
        let task = tasks[index]
        guard let url = try? HTTPURL(task.url) else { throw Undecodable() }
        var spec = TaskSpec(
            id: task.id,
            index: index,
            kind: task.kind,
            session: task.session,
            request: RequestSpec(method: task.method, url: url, headers: task.headers),
            source: SourceLocation(file: "job.yaml", line: index + 1, column: 3)
        )
        spec.retry = task.retry
        spec.destination = task.destination
        spec.mirrors = try task.mirrors.map { try HTTPURL($0) }
        return spec
    }
}

extension RetryPolicy {
    /// One attempt.
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
