import Testing

@testable import Scheduler

@Suite struct TaskKeyTests {
    @Test func `begun tasks go first, then priority, then file order`() {
        let keys = [
            TaskKey(task: 9, priority: 0, isRetry: true),
            TaskKey(task: 7, priority: 1),
            TaskKey(task: 3, priority: 0.75),
            TaskKey(task: 1, priority: 0.5),
            TaskKey(task: 2, priority: 0.5),
            TaskKey(task: 0, priority: 0),
        ]
        #expect(keys.reversed().sorted() == keys)
        #expect(keys.map(\.task) == [9, 7, 3, 1, 2, 0])
        #expect(keys.map(\.isRetry) == [true, false, false, false, false, false])
    }

    @Test(arguments: [-1, 0, -0.0, 1, 2, .infinity, .nan])
    func `a priority outside its range is clamped`(priority: Double) {
        let key = TaskKey(task: 5, priority: priority)
        #expect(key.task == 5)
        #expect(key >= TaskKey(task: 5, priority: 1))
        #expect(key <= TaskKey(task: 5, priority: 0))
    }
}
