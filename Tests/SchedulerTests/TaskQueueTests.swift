import TestSupport
import Testing

@testable import Scheduler

@Suite struct TaskQueueTests {
    private func drain(_ queue: TaskQueue) -> [Int] {
        var queue = queue
        var tasks: [Int] = []
        while let first = queue.min {
            tasks.append(first.task)
            queue.removeMin()
        }
        #expect(queue.isEmpty)
        return tasks
    }

    @Test(arguments: [
        [], [3], [0, 1, 2, 3], [3, 2, 1, 0], [5, 6, 1, 2, 7], [4, 9, 5, 10, 6, 0],
    ])
    func `tasks of one priority come in the order of the plan`(tasks: [Int]) {
        var queue = TaskQueue()
        for task in tasks { queue.insert(TaskKey(task: task, priority: 0.5)) }
        #expect(drain(queue) == tasks.sorted())
    }

    @Test func `retries come first, then the higher priority`() {
        var queue = TaskQueue()
        queue.insert(TaskKey(task: 1, priority: 0.5))
        queue.insert(TaskKey(task: 2, priority: 0.75))
        queue.insert(TaskKey(task: 3, priority: 0.75))
        queue.insert(TaskKey(task: 4, priority: 0, isRetry: true))
        #expect(drain(queue) == [4, 2, 3, 1])
    }

    @Test func `tasks that are added and removed in any order stay sorted`() {
        var random = SplitMix64.forTests()
        var queue = TaskQueue()
        var expected: Set<Int> = []
        for step in 0..<2000 {
            if Bool.random(using: &random) || expected.isEmpty {
                queue.insert(TaskKey(task: step, priority: 0.5))
                expected.insert(step)
            } else if let first = queue.min {
                guard first.task == expected.min() else { break }
                queue.removeMin()
                expected.remove(first.task)
            }
        }
        #expect(drain(queue) == expected.sorted())
    }
}
