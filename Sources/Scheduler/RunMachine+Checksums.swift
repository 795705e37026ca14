import Transfer
import TransferModel

/// Lists of checksums: fetched once by the first task that needs one, shared by the others.
extension RunMachine {
    /// Whether the task has the checksums it needs, or is to fetch them.
    ///
    /// Otherwise the task leaves its place: it waits for the list, or has failed without it.
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

    /// Hands a fetched list to the tasks that wait for it; its fetcher requests its file.
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

    /// Fails the tasks that wait for a list whose fetch has failed.
    mutating func checksumsFailed(
        _ key: SumsFetches.Key,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        for index in sums.end(key, with: .failed(failure)) {
            change(index, in: .awaitingChecksums) { $0.fail(&$1, failure, now) }
        }
    }

    /// Lets a task that has begun wait for a place at the host of its next URL.
    mutating func park(_ task: inout ActiveTask) {
        task.stage = .queued
        let index = task.spec.index
        queue.lanes.park(
            TaskKey(task: index, priority: overview.priority(of: index), isRetry: true),
            task.lane
        )
    }
}
