import SystemKit
import Transfer
import TransferModel

/// Lists of checksums: fetched once by the first task that needs one, shared by the others.
extension RunMachine {
    /// Whether the task has the checksums it needs, or is to fetch them.
    ///
    /// Otherwise the task leaves its place: it waits for the list, or has failed without it.
    mutating func hasChecksums(_ task: inout ActiveTask) -> Bool {
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
            fail(&task, failure)
            return false
        }
    }

    /// Hands a fetched list to the tasks that wait for it; its fetcher requests its file.
    mutating func checksumsFetched(
        _ task: inout ActiveTask,
        _ key: SumsFetches.Key,
        _ list: ChecksumList,
        _ result: AttemptResult
    ) {
        task.take(list, from: result)
        for index in sums.end(key, with: .ready(list)) {
            change(index, in: .awaitingChecksums) { $0.park(&$1) }
        }
        if phase == .cancelling {
            release(task)
            cancelTask(&task)
        } else {
            startAttempt(of: &task)
        }
    }

    /// Fails the tasks that wait for a list whose fetch has failed.
    mutating func checksumsFailed(_ key: SumsFetches.Key, _ failure: TransferFailure) {
        for index in sums.end(key, with: .failed(failure)) {
            change(index, in: .awaitingChecksums) { $0.fail(&$1, failure) }
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

/// Files that are at destinations already, and are checked against the checksums of the job.
extension RunMachine {
    /// Notes the occupant of a download's destination.
    mutating func destinationChecked(_ task: inout ActiveTask, _ occupant: PathOccupant) {
        switch task.meet(occupant) {
        case nil: goOn(with: &task)
        case .success:
            release(task)
            succeed(&task, .unchanged)
        case .failure(let failure):
            release(task)
            fail(&task, failure)
        }
    }

    /// Whether a task waits for facts about its destination; otherwise it requests its file.
    mutating func looksAtFile(_ task: inout ActiveTask) -> Bool {
        switch task.presence {
        case .unknown:
            guard task.isMetByFile, task.missingChecksums == nil,
                let destination = task.spec.destination
            else { return false }
            task.stage = .checking
            actions.destinationChecks.append((task.spec.index, destination.path))
            return true
        case .occupied:
            guard task.missingChecksums == nil, let request = task.examine(now) else {
                return false
            }
            actions.reportStart(of: &task)
            actions.starts.append(request)
            return true
        case .examined, .right, .different, .missing: return false
        }
    }

    /// Takes in whether the file of a task has its checksum.
    mutating func fileExamined(_ task: inout ActiveTask, _ ended: EndedAttempt) {
        task.endExamination(ended, clock)
        if let failure = ended.result.failure {
            release(task)
            if failure.kind == .cancelled, phase == .cancelling {
                cancelTask(&task)
            } else if failure.kind == .cancelled, sessions.isSuspended(task.spec) {
                suspend(&task)
            } else {
                fail(&task, failure)
            }
        } else if ended.result.isUnchanged {
            release(task)
            succeed(&task, .unchanged)
        } else {
            goOn(with: &task)
        }
    }

    /// Requests the file of a task whose destination is known; in a stopping run only if an
    /// attempt has begun.
    mutating func goOn(with task: inout ActiveTask) {
        // The window may have closed while the destination was looked at.
        carryOut(stopping.checkWindow())
        if phase == .running || task.hasBegun && phase == .draining {
            startAttempt(of: &task)
        } else {
            release(task)
            cancelTask(&task)
        }
    }
}
