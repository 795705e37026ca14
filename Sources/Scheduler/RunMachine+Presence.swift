import SystemKit
import Transfer
import TransferModel

/// Files that are at destinations already, and are checked against the checksums of the job.
extension RunMachine {
    /// Notes the occupant of a download's destination.
    mutating func destinationChecked(
        _ task: inout ActiveTask,
        _ occupant: PathOccupant,
        _ now: MonotonicTime
    ) {
        switch task.meet(occupant) {
        case nil: goOn(with: &task, now)
        case .success:
            release(task)
            succeed(&task, .unchanged, now)
        case .failure(let failure):
            release(task)
            fail(&task, failure, now)
        }
    }

    /// Whether a task waits for facts about its destination; otherwise it requests its file.
    mutating func looksAtFile(_ task: inout ActiveTask, _ now: MonotonicTime) -> Bool {
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
    mutating func fileExamined(
        _ task: inout ActiveTask,
        _ ended: EndedAttempt,
        _ now: MonotonicTime
    ) {
        task.endExamination(ended, clock)
        if let failure = ended.result.failure {
            release(task)
            if failure.kind == .cancelled, phase == .cancelling {
                cancelTask(&task, now)
            } else {
                fail(&task, failure, now)
            }
        } else if ended.result.isUnchanged {
            release(task)
            succeed(&task, .unchanged, now)
        } else {
            goOn(with: &task, now)
        }
    }

    /// Requests the file of a task whose destination is known; in a stopping run only if an
    /// attempt has begun.
    mutating func goOn(with task: inout ActiveTask, _ now: MonotonicTime) {
        // The window may have closed while the destination was looked at.
        carryOut(stopping.checkWindow(), now)
        if phase == .running || task.hasBegun && phase == .draining {
            startAttempt(of: &task, now)
        } else {
            release(task)
            cancelTask(&task, now)
        }
    }
}
