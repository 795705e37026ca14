import HeapModule
import Plan
import Transfer
import TransferModel

extension RunMachine {
    /// How many tasks may be between two attempts before no new one is started: they are held in
    /// memory.
    var maximumWaiting: Int { max(64, 4 * schedule.maxConcurrentTasks) }

    /// Fills the free places, best task first.
    ///
    /// A task from `ready` has to be decoded before its host is known. If the host has no room it
    /// is parked, as a key, and the search goes on, a bounded number of steps in a turn: a slow
    /// host keeps nobody else waiting.
    mutating func startTasks(_ now: MonotonicTime) {
        isLookingFurther = false
        var steps = 0
        while running < schedule.maxConcurrentTasks {
            let parked = lanes.next()
            let fresh = ready.min
            let acceptsFresh = active.count - running < maximumWaiting
            if let parked, fresh.map({ parked < $0 }) ?? true {
                guard parked.isRetry || acceptsFresh, let (key, lane, heldSince) = lanes.takeNext()
                else {
                    return
                }
                if key.isRetry {
                    repeatTask(key.task, lane, now)
                } else if let spec = decode(key.task, now),
                    !connectivity.hold(spec, now)
                {
                    begin(spec, lane, pausedSince: heldSince, now)
                } else {
                    lanes.leave(lane)
                }
            } else if let fresh, acceptsFresh {
                guard steps < Self.stepsPerTurn else {
                    isLookingFurther = true
                    return
                }
                steps += 1
                ready.removeMin()
                guard let spec = decode(fresh.task, now), !isEndedByEarlierRun(spec, now) else {
                    continue
                }
                if let date = spec.earliestBeginDate,
                    beginDates.keepBack(fresh.task, until: date, now)
                {
                    continue
                }
                if connectivity.hold(spec, now) { continue }
                let lane = HostLanes.Lane(session: spec.session, origin: spec.request.url.origin)
                if lanes.enter(fresh, lane, at: now) { begin(spec, lane, now) }
            } else {
                return
            }
        }
    }

    /// Hands tasks whose wait is over to their lanes.
    mutating func wakeRetries(_ now: MonotonicTime) {
        while let timer = retries.min, timer.time <= now {
            retries.removeMin()
            guard let task = active[timer.task] else { continue }
            if let limit = task.retryLimit, now >= limit {
                giveUp(task, .outOfTime, now)
            } else if let pauseEnd = lanes.pauseEnd(task.lane.origin), pauseEnd > now {
                task.waitForOrigin()
                let time = task.retryLimit.map { min($0, pauseEnd) } ?? pauseEnd
                retries.insert(Timer(time: time, task: timer.task))
            } else {
                task.queue()
                park(task)
            }
        }
    }

    /// The task's settings; when they cannot be had, the task fails here.
    ///
    /// A plan is checked as a whole before it runs: but for what other tasks have captured, and for
    /// data files that have changed, this is a fault of the runner.
    private mutating func decode(_ task: Int, _ now: MonotonicTime) -> TaskSpec? {
        var failure: TransferFailure
        do {
            let spec = try source.task(at: task, captured: captures.values)
            if sessions.indices.contains(spec.session) { return spec }
            failure = .undecodable("the plan has no session \(spec.session)")
        } catch let rejected as PlanRejected where rejected.isChangedData {
            failure = .changedData(rejected)
        } catch let rejected as PlanRejected where captures.fillsIn(task) {
            failure = .unusableCapture(rejected)
        } catch {
            failure = .undecodable("the plan cannot give the task: \(error)")
        }
        failure.isPermanent = true
        var record = blankRecord(task, .failed, now)
        record.error = failure
        fail(task, record, failure, now)
        return nil
    }

    /// Creates a task that has a place in its lane.
    private mutating func begin(
        _ spec: TaskSpec,
        _ lane: HostLanes.Lane,
        pausedSince: MonotonicTime? = nil,
        _ now: MonotonicTime
    ) {
        let index = spec.index
        var key: OrderKey?
        var earlier: EarlierTransfer?
        do throws(TransferFailure) {
            if spec.wantsKey { key = try orderKeys?.key(of: spec) }
            if isKept(spec) { earlier = try background?.recall(spec) }
        } catch {
            lanes.leave(lane)
            fail(index, blankRecord(index, .failed, now), error, now)
            return
        }
        running += 1
        states[index] = .active
        let hold = connectivity.takeHold(of: index)
        let task = ActiveTask(
            spec,
            key: key,
            earlier: earlier,
            hold: hold,
            pausedSince: pausedSince,
            session: sessions[lane.session],
            lane: lane,
            isRequired: source.isRequired(index),
            clock: clock,
            now: now
        )
        active[index] = task
        if let hold, let deadline = task.deadline, now >= deadline {
            release(task)
            fail(task, hold.cause.failure, now)
            return
        }
        // What a server names is looked for when it has done so.
        if let destination = task.spec.destination, !destination.ifExists.mayReplace,
            !destination.isFolder
        {
            actions.destinationChecks.append((index, destination.path))
        } else {
            startAttempt(of: task, now)
        }
    }

    private mutating func repeatTask(
        _ index: Int,
        _ lane: HostLanes.Lane,
        _ now: MonotonicTime
    ) {
        guard let task = active[index] else {
            lanes.leave(lane)
            return
        }
        // Without a failure it has only waited for checksums, and its first attempt is still to
        // come.
        if task.failure != nil, let limit = task.retryLimit, now >= limit {
            lanes.leave(lane)
            giveUp(task, .outOfTime, now)
        } else {
            running += 1
            startAttempt(of: task, now)
        }
    }

    /// Hands the next attempt of an active task, or the rest of the one that runs, to the runner.
    mutating func startAttempt(of task: ActiveTask, _ now: MonotonicTime) {
        guard hasPower(task, now), hasChecksums(task, now), !looksAtFile(task, now) else { return }
        let (isFirst, isKept) = (!task.hasBegun, isKept(task.spec))
        let last = task.number
        // What has changed since a round through the mirrors began may be a way to one that had
        // none.
        if task.isNewRound || task.spec.mirrors.isEmpty {
            task.changesAtStart = connectivity.networkChanges
        }
        task.isNewRound = false
        let request = task.begin(now)
        if isKept, task.number > last {
            background?.attemptBegins(
                task.spec,
                deadline: task.deadline.map { clock.timestamp(of: $0) }
            )
        }
        if isFirst { announce(task) }
        if isKept || isFirst && task.hasMadeKey {
            actions.orders.append(request)
        } else {
            actions.starts.append(request)
        }
    }
}

extension TransferFailure {
    /// A task that the plan accepted and cannot give.
    fileprivate static func undecodable(_ detail: String) -> TransferFailure {
        TransferFailure(kind: .engine, phase: .prepare, detail: detail)
    }

    /// A task whose row is no longer what was checked.
    fileprivate static func changedData(_ rejected: PlanRejected) -> TransferFailure {
        var failure = TransferFailure(kind: .localIO, phase: .prepare, detail: rejected.summary)
        failure.isKnownUnprocessed = true
        failure.help = "run the job again; replace data files by renaming a new one over them"
        return failure
    }

    /// A task whose settings are wrong with what a peer has sent filled in: nothing is sent.
    fileprivate static func unusableCapture(_ rejected: PlanRejected) -> TransferFailure {
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: .prepare,
            detail: "what other tasks have captured does not fit: \(rejected)"
        )
        failure.isKnownUnprocessed = true
        failure.help = "look at what they capture, and at the responses"
        return failure
    }
}
