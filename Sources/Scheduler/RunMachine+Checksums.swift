import Transfer
import TransferModel

/// Lists of checksums: fetched once by the first task that needs one, shared by the others.
extension RunMachine {
    /// Whether the task can go on: it has what it needs, or is the one to fetch it.
    ///
    /// Otherwise it waits for the list or has failed for want of it, and its place is free.
    mutating func hasChecksums(_ task: inout ActiveTask, _ now: MonotonicTime) -> Bool {
        guard let key = task.checksumKey, !task.fetchesChecksums else { return true }
        switch sums.ask(for: key, by: task.spec.index) {
        case nil:
            task.fetchesChecksums = true
            return true
        case .ready(let list):
            task.checksums = list
            return true
        case .fetching:
            release(task)
            task.stage = .awaitingChecksums
            return false
        case .failed(let failure):
            release(task)
            fail(&task, failure, now)
            return false
        }
    }

    /// Hands a fetched list to the tasks that wait for it, and goes on with the one that has
    /// fetched it.
    mutating func checksumsFetched(
        _ task: inout ActiveTask,
        _ key: SumsFetches.Key,
        _ list: ChecksumList,
        _ result: AttemptResult,
        _ now: MonotonicTime
    ) {
        task.take(list, from: result)
        for index in sums.end(key, with: .ready(list)) {
            change(index, in: .awaitingChecksums) { $0.park(&$1) }
        }
        if phase == .cancelling {
            release(task)
            cancelTask(&task, now)
        } else {
            startAttempt(of: &task, now)
        }
    }

    /// Fails the tasks that wait for a list that cannot be had.
    mutating func checksumsFailed(
        _ key: SumsFetches.Key,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        for index in sums.end(key, with: .failed(failure)) {
            change(index, in: .awaitingChecksums) { $0.fail(&$1, failure, now) }
        }
    }

    /// Lets a task that has begun wait for a place at the host of the URL that it asks next.
    mutating func park(_ task: inout ActiveTask) {
        task.stage = .queued
        let index = task.spec.index
        queue.lanes.park(
            TaskKey(task: index, priority: overview.priority(of: index), isRetry: true),
            task.lane
        )
    }
}
