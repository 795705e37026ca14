import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Tasks that wait for an interface that they may use, or for external power.
extension RunMachine {
    /// How long a task waits before it looks by itself: not everything that helps is told of by the kernel.
    static let connectivityInterval = Duration.seconds(30)

    /// Whether a task whose attempt had no way waits for one.
    func mayAwait(_ task: ActiveTask, _ failure: TransferFailure, _ now: MonotonicTime) -> Bool {
        phase == .running && sessions[task.lane.session].waitsForConnectivity && task.isInTime(now)
            && !RetryDecision.leavesOutcomeUnknown(
                failure,
                of: task.request,
                under: task.spec.retry
            )
    }

    /// Lets a task wait until the network changes; when it has changed since the attempt began, for nothing.
    mutating func awaitConnectivity(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        let isUnbegun = result.transactions.isEmpty
        if isUnbegun { task.retract(result) } else { task.end(result, clock) }
        task.restartMirrors()
        task.hold(for: .connectivity, failure, since: now, goesOn: isUnbegun)
        tellAttemptEnded(task, failure)
        guard task.changesAtStart == networkChanges else {
            retries.insert(Timer(time: now, task: task.spec.index))
            return
        }
        holdBack(task, failure, failure.isOfWholeSession ? nil : task.spec.request.url.origin, now)
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
        _ origin: Origin?,
        _ now: MonotonicTime
    ) {
        closedPaths.close(.init(task.spec, origin: origin), failure)
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
        guard !closedPaths.isEmpty else { return }
        let paths = [
            ClosedPaths.Path(task.spec),
            .init(task.spec, origin: task.spec.request.url.origin),
        ]
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
        holdBack(task, failure, nil, now)
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
