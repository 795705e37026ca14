import Transfer
import TransferModel

extension RunMachine {
    /// How many tasks, held in memory, may wait between attempts before no new one starts.
    var maximumWaiting: Int { max(64, 4 * schedule.maxConcurrentTasks) }

    /// Fills the free places, best task first, up to the next task whose settings are needed.
    mutating func startTasks() -> RunQuestion? {
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
                $0.repeatAttempt(of: &$1)
            }
        }
        return nil
    }

    /// Begins the task whose settings were asked for, or keeps it back.
    mutating func taskRead(_ spec: TaskSpec) -> RunQuestion? {
        let isSuspended = sessions.isSuspended(spec)
        guard queue.takePlace(for: spec, isSuspended: isSuspended, &connectivity, now) else {
            return proceed()
        }
        if spec.wantsKey || sessions.isKept(spec) { return .order(spec) }
        begin(spec, nil, nil)
        return proceed()
    }

    /// Begins the task whose key was asked for.
    mutating func orderPrepared(
        _ spec: TaskSpec,
        _ key: OrderKey?,
        _ earlier: EarlierTransfer?
    ) -> RunQuestion? {
        begin(spec, key, earlier)
        return proceed()
    }

    /// Gives the requested task the outcome that an earlier run recorded; its failure does not stop
    /// this run.
    mutating func taskHadEnded(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure?
    ) -> RunQuestion? {
        if let failure {
            fail(index, record, failure, stops: false)
        } else {
            succeed(index, record)
        }
        return proceed()
    }

    /// Ends the requested task: it has no settings, no key, or must not be repeated.
    mutating func taskFailed(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure
    ) -> RunQuestion? {
        if let lane = queue.candidate?.lane { queue.lanes.leave(lane) }
        fail(index, record, failure)
        return proceed()
    }

    /// Hands a task whose wait is over to its lane.
    mutating func wake(_ task: inout ActiveTask) {
        if sessions.isSuspended(task.spec) {
            // It has no place, and the pause of its origin is not waited for.
            suspend(&task)
        } else if let limit = task.retryLimit, now >= limit {
            giveUp(&task, .outOfTime)
        } else if let pauseEnd = queue.lanes.pauseEnd(task.lane.origin), pauseEnd > now {
            task.waits.waitForOrigin()
            let time = task.retryLimit.map { min($0, pauseEnd) } ?? pauseEnd
            queue.insert(task.spec.index, dueAt: time)
        } else {
            park(&task)
        }
    }

    /// Begins the task that has a place in its lane.
    private mutating func begin(_ spec: TaskSpec, _ key: OrderKey?, _ earlier: EarlierTransfer?) {
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
        begin(&slot.task, hold)
        active.putBack(slot)
    }

    private mutating func begin(_ task: inout ActiveTask, _ hold: ClosedPaths.Hold?) {
        if let hold, let deadline = task.deadline, now >= deadline {
            release(task)
            fail(&task, hold.cause.failure)
            return
        }
        // A name that the server gives is looked for after its response.
        if let destination = task.spec.destination, !destination.ifExists.mayReplace,
            !destination.isFolder
        {
            actions.destinationChecks.append((task.spec.index, destination.path))
        } else {
            startAttempt(of: &task)
        }
    }

    private mutating func repeatAttempt(of task: inout ActiveTask) {
        running += 1
        // A task without a failure has only waited for checksums, and not begun its first attempt.
        if task.failure != nil, let limit = task.retryLimit, now >= limit {
            release(task)
            giveUp(&task, .outOfTime)
        } else {
            startAttempt(of: &task)
        }
    }

    /// Hands the next attempt of an active task, or the rest of the running one, to the runner.
    mutating func startAttempt(of task: inout ActiveTask) {
        guard !endsSuspended(&task), hasPower(&task), hasChecksums(&task),
            !looksAtFile(&task)
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
