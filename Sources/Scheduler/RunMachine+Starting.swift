import Transfer
import TransferModel

extension RunMachine {
    /// How many tasks, held in memory, may wait between attempts before no new one starts.
    var maximumWaiting: Int { max(64, 4 * schedule.maxConcurrentTasks) }

    /// Fills the free places, best task first, up to the next task whose settings are needed.
    mutating func startTasks(_ now: MonotonicTime) -> RunQuestion? {
        while running < schedule.maxConcurrentTasks {
            let acceptsFresh = active.count - running < maximumWaiting
            guard let candidate = queue.next(acceptsFresh: acceptsFresh) else { return nil }
            let task = candidate.key.task
            guard candidate.key.isRetry else {
                return .task(task, captured: captures.values, isFresh: candidate.lane == nil)
            }
            guard queue.paces.admits(candidate) else { continue }
            change(task, in: .queued) {
                if let since = candidate.pacedSince { $1.waits.waitForTurn(since: since) }
                $0.repeatAttempt(of: &$1, now)
            }
        }
        return nil
    }

    /// Begins the task whose settings were asked for, or keeps it back.
    mutating func taskRead(_ spec: TaskSpec, _ now: MonotonicTime) -> RunQuestion? {
        let isSuspended = sessions.isSuspended(spec)
        guard queue.takePlace(for: spec, isSuspended: isSuspended, &connectivity, now) else {
            return proceed(now)
        }
        if spec.wantsKey || sessions.isKept(spec) { return .order(spec) }
        begin(spec, nil, nil, now)
        return proceed(now)
    }

    /// Begins the task whose key was asked for.
    mutating func orderPrepared(
        _ spec: TaskSpec,
        _ key: OrderKey?,
        _ earlier: EarlierTransfer?,
        _ now: MonotonicTime
    ) -> RunQuestion? {
        begin(spec, key, earlier, now)
        return proceed(now)
    }

    /// Gives the requested task the outcome that an earlier run recorded; its failure does not stop
    /// this run.
    mutating func taskHadEnded(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure?,
        _ now: MonotonicTime
    ) -> RunQuestion? {
        if let failure {
            fail(index, record, failure, now, stops: false)
        } else {
            succeed(index, record)
        }
        return proceed(now)
    }

    /// Ends the requested task: it has no settings, no key, or must not be repeated.
    mutating func taskFailed(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) -> RunQuestion? {
        if let lane = queue.candidate?.lane { queue.lanes.leave(lane) }
        fail(index, record, failure, now)
        return proceed(now)
    }

    /// Hands a task whose wait is over to its lane.
    mutating func wake(_ task: inout ActiveTask, _ now: MonotonicTime) {
        if sessions.isSuspended(task.spec) {
            // The task has no place yet, and does not wait for the pause of its origin.
            suspend(&task, now)
        } else if let limit = task.retryLimit, now >= limit {
            giveUp(&task, .outOfTime, now)
        } else if let pauseEnd = queue.lanes.pauseEnd(task.lane.origin), pauseEnd > now {
            task.waits.waitForOrigin()
            let time = task.retryLimit.map { min($0, pauseEnd) } ?? pauseEnd
            queue.insert(task.spec.index, dueAt: time)
        } else {
            park(&task)
        }
    }

    /// Begins the task that has a place in its lane.
    private mutating func begin(
        _ spec: TaskSpec,
        _ key: OrderKey?,
        _ earlier: EarlierTransfer?,
        _ now: MonotonicTime
    ) {
        guard let candidate = queue.candidate, let lane = candidate.lane else { return }
        let index = spec.index
        running += 1
        ledger.begin(index)
        let hold = connectivity.takeHold(of: index)
        var slot = active.begin(
            .begun(
                spec,
                key: key,
                earlier: earlier,
                hold: hold,
                pausedSince: candidate.pausedSince,
                pacedSince: candidate.pacedSince,
                session: sessions[lane.session],
                lane: lane,
                isRequired: overview.isRequired(index),
                priority: overview.priority(of: index),
                clock: clock,
                now: now
            )
        )
        begin(&slot.task, hold, now)
        active.putBack(slot)
    }

    private mutating func begin(
        _ task: inout ActiveTask,
        _ hold: ClosedPaths.Hold?,
        _ now: MonotonicTime
    ) {
        if let hold, let deadline = task.deadline, now >= deadline {
            release(task)
            fail(&task, hold.cause.failure, now)
            return
        }
        // A name that the server gives is looked for after its response.
        if let destination = task.spec.destination, !destination.ifExists.mayReplace,
            !destination.isFolder
        {
            actions.destinationChecks.append((task.spec.index, destination.path))
        } else {
            startAttempt(of: &task, now)
        }
    }

    private mutating func repeatAttempt(of task: inout ActiveTask, _ now: MonotonicTime) {
        running += 1
        // A task without a failure has only waited for checksums, and not begun its first attempt.
        if task.failure != nil, let limit = task.retryLimit, now >= limit {
            release(task)
            giveUp(&task, .outOfTime, now)
        } else {
            startAttempt(of: &task, now)
        }
    }

    /// Hands the next attempt of an active task, or the rest of the running one, to the runner.
    mutating func startAttempt(of task: inout ActiveTask, _ now: MonotonicTime) {
        guard !endsSuspended(&task, now), hasPower(&task, now), hasChecksums(&task, now),
            !looksAtFile(&task, now)
        else { return }
        let (isFirst, isKept) = (!task.hasBegun, sessions.isKept(task.spec))
        let last = task.number
        // A change since the round through the mirrors began may make a mirror reachable.
        if task.isNewRound || task.spec.mirrors.isEmpty {
            task.changesAtStart = connectivity.networkChanges
        }
        task.isNewRound = false
        let request = task.begin(now)
        if isKept, task.number > last {
            let deadline = task.deadline.map { clock.timestamp(of: $0) }
            actions.journalSteps.append(.attemptBegins(task.spec, deadline: deadline))
        }
        if isFirst { actions.reportStart(of: &task) }
        actions.start(request, isOrder: isKept || isFirst && task.hasMadeKey)
    }
}
