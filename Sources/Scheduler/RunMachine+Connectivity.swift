import SystemKit
import Transfer
import TransferModel

/// Tasks that wait for an interface that they may use, or for external power.
extension RunMachine {
    /// Whether a task whose attempt had no permitted interface waits for one, or looks for another
    /// one.
    ///
    /// Each task looks again when the network has changed since its attempt began.
    func mayAwait(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) -> Bool {
        phase == .running && task.isInTime(now)
            && (sessions[task.lane.session].waitsForConnectivity || isOvertaken(task))
            && task.mayRepeat(after: failure, result)
    }

    /// Lets a task wait until the network changes; at once if it has changed during the attempt.
    mutating func awaitConnectivity(
        _ task: inout ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        // Among many redirected tasks, only some may wait at their own place.
        let mayStayOpen = active.count - running < maximumWaiting / 2
        let path = task.closedPath(after: failure, result, mayStayOpen: mayStayOpen)
        task.restartMirrors()
        task.hold(for: .connectivity, failure, since: now, goesOn: result.isUnbegun)
        tellAttemptEnded(task, failure)
        if isOvertaken(task) {
            queue.insert(task.spec.index, dueAt: now)
            return
        }
        holdBack(&task, failure, path, now)
    }

    /// Whether the network has changed since the task's attempt began.
    private func isOvertaken(_ task: ActiveTask) -> Bool {
        connectivity.hasChanged(since: task.changesAtStart)
    }

    /// Lets the tasks that wait for an interface look again.
    mutating func networkChanged(_ now: MonotonicTime) {
        let tasks = connectivity.networkChanged()
        guard phase == .running else { return }
        tryAgain(tasks, held: .connectivity, now)
    }

    /// Keeps other tasks of a waiting task's path from starting, and reports the wait once.
    private mutating func holdBack(
        _ task: inout ActiveTask,
        _ failure: TransferFailure,
        _ path: ClosedPaths.Path?,
        _ now: MonotonicTime
    ) {
        let time = connectivity.holdBack(path, failure, until: task.deadline, now)
        queue.insert(task.spec.index, dueAt: time)
        guard !task.isKnownToWait else { return }
        task.isKnownToWait = true
        actions.events.append(.taskWaiting(id: task.spec.id, failure: failure))
    }

    /// Starts the held tasks, and repeats the tasks that wait for the same reason.
    private mutating func tryAgain(
        _ tasks: [Int],
        held reason: TaskRecord.Attempt.WaitReason,
        _ now: MonotonicTime
    ) {
        for task in tasks { makeReady(task..<task + 1) }
        let active = active
        queue.hurry(now) { active.awaited(by: $0) == reason }
    }

    /// Starts the tasks that waited for a task that has found a path or no longer waits.
    mutating func openPath(of task: ActiveTask) {
        for task in connectivity.open(for: task.spec, isWaiting: task.awaited != nil) {
            makeReady(task..<task + 1)
        }
    }

    // MARK: Power

    /// Whether a task may begin an attempt; otherwise it leaves its place and waits for power.
    mutating func hasPower(_ task: inout ActiveTask, _ now: MonotonicTime) -> Bool {
        // A stopping run lets started tasks continue without external power.
        guard phase == .running, connectivity.lacksPower(session: task.spec.session) else {
            return true
        }
        let failure = TransferFailure.noPower
        release(task)
        task.hold(for: .power, failure, since: now, goesOn: true)
        holdBack(&task, failure, ClosedPaths.Path(task.spec), now)
        return false
    }

    /// Records a change of the power; with external power, tasks that wait for it begin.
    mutating func powerChanged(_ isExternal: Bool, _ now: MonotonicTime) {
        guard let tasks = connectivity.powerChanged(isExternal: isExternal), phase == .running
        else { return }
        tryAgain(tasks, held: .power, now)
    }
}

extension AttemptResult {
    /// Whether the attempt does not count, because it had no interface to send over.
    var isUnbegun: Bool {
        failure?.kind == .network && failure?.symptom == nil
            && (transactions.isEmpty || failure?.isKnownUnprocessed == true)
    }

    /// Whether another attempt can continue an upload that this one has left.
    var leavesUpload: Bool { resume?.upload?.partial != nil }
}

extension TransferFailure {
    /// A task of a discretionary session on battery.
    fileprivate static var noPower: TransferFailure {
        var failure = TransferFailure(
            kind: .power,
            phase: .prepare,
            detail: "the session is discretionary, and the machine has no external power"
        )
        failure.isKnownUnprocessed = true
        failure.help = "connect the machine to power, or remove `isDiscretionary`"
        return failure
    }
}
