import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Tasks that wait for an interface that they may use, or for external power.
extension RunMachine {
    /// How long a task waits before it looks by itself: not everything that helps is told of by the kernel.
    static let connectivityInterval = Duration.seconds(30)

    /// Whether a task whose attempt had no way waits for one, or looks for another one.
    ///
    /// Each does that when the network has changed since the attempt began. Nobody does when another attempt may not follow:
    /// nothing is to be repeated, the body was a pipe, or an order may have been processed that has left no upload to go on with.
    func mayAwait(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) -> Bool {
        guard phase == .running, task.isInTime(now),
            sessions[task.lane.session].waitsForConnectivity || isOvertaken(task)
        else { return false }
        if failure.isPermanent { return false }
        if failure.isKnownUnprocessed { return true }
        let policy = task.spec.retry
        guard policy.repeat != .never else { return false }
        return result.leavesUpload
            || !RetryDecision.leavesOutcomeUnknown(failure, of: task.request, under: policy)
    }

    /// Lets a task wait until the network changes; not at all when it has changed since the attempt began.
    mutating func awaitConnectivity(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        let path = closedPath(of: task, result, failure)
        task.restartMirrors()
        task.hold(for: .connectivity, failure, since: now, goesOn: result.isUnbegun)
        tellAttemptEnded(task, failure)
        if isOvertaken(task) {
            retries.insert(Timer(time: now, task: task.spec.index))
            return
        }
        holdBack(task, failure, path, now)
    }

    /// Whether the network has changed since the task's attempt began.
    private func isOvertaken(_ task: ActiveTask) -> Bool { task.changesAtStart != networkChanges }

    /// What has no way for others either; nil when that is another URL than the task's own.
    private func closedPath(
        of task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure
    ) -> ClosedPaths.Path? {
        if failure.isOfWholeSession { return ClosedPaths.Path(task.spec) }
        let origin = task.spec.request.url.origin
        // Of many that are led elsewhere the others wait without a place of their own.
        let mayStayOpen = active.count - running < maximumWaiting / 2
        if result.redirectCount > 0, mayStayOpen { return nil }
        guard task.lane.origin == origin, task.missingChecksums == nil else { return nil }
        return ClosedPaths.Path(task.spec, origin: origin)
    }

    /// Lets the tasks that wait for an interface look again.
    mutating func networkChanged(_ now: MonotonicTime) {
        networkChanges += 1
        let (sessions, hasPower) = (sessions, hasExternalPower)
        lookAgain(
            now,
            paths: { hasPower || !sessions[$0.session].isDiscretionary },
            held: .connectivity
        )
    }

    /// Keeps others of a waiting task's session, or those that ask one origin alone, from filling places, and tells once that
    /// it waits.
    private mutating func holdBack(
        _ task: ActiveTask,
        _ failure: TransferFailure,
        _ path: ClosedPaths.Path?,
        _ now: MonotonicTime
    ) {
        if let path { closedPaths.close(path, failure) }
        let look = now + Self.connectivityInterval
        let time = task.deadline.map { min($0, look) } ?? look
        retries.insert(Timer(time: time, task: task.spec.index))
        guard !task.isKnownToWait else { return }
        task.isKnownToWait = true
        actions.events.append(.taskWaiting(id: task.spec.id, failure: failure))
    }

    /// Lets tasks look again that wait, and those start that were kept back behind them.
    private mutating func lookAgain(
        _ now: MonotonicTime,
        paths: (ClosedPaths.Path) -> Bool,
        held reason: TaskRecord.Attempt.WaitReason
    ) {
        guard phase == .running else { return }
        for task in closedPaths.openAll(where: paths) { makeReady(task..<task + 1) }
        retries = Heap(
            retries.unordered.map { timer in
                let isHeld = active[timer.task]?.awaited == reason
                return isHeld ? Timer(time: now, task: timer.task) : timer
            }
        )
    }

    /// Lets the tasks start again that go over the same interfaces as one that has found a way, or waits no more.
    mutating func openPath(of task: ActiveTask) {
        let origin = task.spec.request.url.origin
        // What does not leave this machine says nothing of the ways to others.
        guard !closedPaths.isEmpty, task.awaited != nil || !origin.isLoopback else { return }
        let paths = [ClosedPaths.Path(task.spec), .init(task.spec, origin: origin)]
        for task in closedPaths.open(paths) { makeReady(task..<task + 1) }
    }

    // MARK: Power

    /// Whether a task may begin an attempt; otherwise it waits for external power, and its place is free.
    mutating func hasPower(_ task: ActiveTask, _ now: MonotonicTime) -> Bool {
        // A run that ends lets go on what has begun.
        guard phase == .running, !hasExternalPower, sessions[task.spec.session].isDiscretionary
        else { return true }
        let failure = TransferFailure.noPower
        release(task)
        task.hold(for: .power, failure, since: now, goesOn: true)
        holdBack(task, failure, ClosedPaths.Path(task.spec), now)
        return false
    }

    /// Takes in what the machine is fed by; with external power, tasks that wait for it begin.
    mutating func powerChanged(_ isExternal: Bool, _ now: MonotonicTime) {
        hasExternalPower = isExternal
        guard isExternal else { return }
        let sessions = sessions
        lookAgain(now, paths: { sessions[$0.session].isDiscretionary }, held: .power)
    }
}

extension AttemptResult {
    /// Whether it counts as none: it had no interface to send anything over.
    var isUnbegun: Bool {
        failure?.kind == .network && failure?.symptom == nil
            && (transactions.isEmpty || failure?.isKnownUnprocessed == true)
    }

    /// Whether another attempt goes on with an upload that it has left.
    var leavesUpload: Bool { resume?.upload?.partial != nil }
}

extension TransferFailure {
    /// A task of a discretionary session on battery.
    fileprivate static var noPower: TransferFailure {
        var failure = TransferFailure(
            kind: .power,
            phase: .prepare,
            detail: "its session is discretionary, and the machine has no external power"
        )
        failure.isKnownUnprocessed = true
        failure.help = "plug it in, or leave `isDiscretionary` out"
        return failure
    }
}
