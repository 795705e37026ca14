import Plan
import SystemKit
package import Transfer
package import TransferModel

/// Answers the questions of a `RunMachine`: reads tasks, makes idempotency keys, recalls the state
/// that earlier runs left, and makes the records of tasks that never begin.
package struct TaskResolver {
    let source: any TaskSource
    let sessions: [SessionConfiguration]
    let clock: RunClock
    let orderKeys: (any OrderKeys)?
    let background: (any BackgroundTransfers)?

    /// The resolver of a run.
    ///
    /// - Parameters:
    ///   - source: The tasks.
    ///   - sessions: The sessions of the tasks, by their numbers.
    ///   - clock: Dates the records; the deadline of the run counts from its monotonic reading.
    ///   - orderKeys: Makes idempotency keys; nil when no task wants one.
    ///   - background: The journals of background sessions; nil without such a session.
    package init(
        _ source: any TaskSource,
        sessions: [SessionConfiguration],
        clock: RunClock,
        orderKeys: (any OrderKeys)? = nil,
        background: (any BackgroundTransfers)? = nil
    ) {
        self.source = source
        self.sessions = sessions
        self.clock = clock
        self.orderKeys = orderKeys
        self.background = background
    }

    /// Answers questions until the machine has none.
    func answer(_ first: RunQuestion?, of machine: inout RunMachine) {
        var question = first
        while let asked = question {
            switch asked {
            case .task(let task, let captured, let isFresh):
                question = read(task, captured, isFresh: isFresh, for: &machine)
            case .order(let spec):
                do throws(TransferFailure) {
                    let key = spec.wantsKey ? try orderKeys?.key(of: spec) : nil
                    let earlier = isKept(spec) ? try background?.recall(spec) : nil
                    question = machine.orderPrepared(spec, key, earlier)
                } catch {
                    let record = unbegunRecord(of: spec, .failed, machine.now)
                    question = machine.taskFailed(spec.index, record, error)
                }
            case .record(let end, let captured):
                question = machine.unbegunRecorded(end, record(of: end, captured, machine.now))
            }
        }
    }

    /// Tells the journals of background sessions which attempts have begun and ended.
    func keep(_ steps: [JournalStep]) {
        for step in steps {
            switch step {
            case .attemptBegins(let spec, let deadline):
                background?.attemptBegins(spec, deadline: deadline)
            case .attemptEnded(let spec, let failures):
                background?.attemptEnded(spec, failures: failures)
            }
        }
    }

    private func isKept(_ spec: TaskSpec) -> Bool { sessions[spec.session].kind == .background }

    // MARK: Tasks

    /// Reads the settings of a task; when that fails, the task fails.
    ///
    /// A plan is checked as a whole before it runs: except for captured values and changed data
    /// files, a failure is a fault of the runner.
    private func read(
        _ task: Int,
        _ captured: CapturedValues,
        isFresh: Bool,
        for machine: inout RunMachine
    ) -> RunQuestion? {
        if isFresh {
            let held = source.heldAlternatives(of: task, captured: captured)
            if machine.ledger.refuse(task, holding: held) { return machine.proceed() }
        }
        var failure: TransferFailure
        do {
            let spec = try source.task(at: task, captured: captured)
            if sessions.indices.contains(spec.session) {
                guard isFresh, let left = try recall(spec) else {
                    return machine.taskRead(spec)
                }
                return endEarlier(spec, left, of: &machine)
            }
            failure = .undecodable("the plan has no session \(spec.session)")
        } catch let fault as TransferFailure {
            return fail(task, captured, fault, of: &machine)
        } catch let rejected as PlanRejected where rejected.isChangedData {
            failure = .changedData(rejected)
        } catch let rejected as PlanRejected where source.captureUses.fillsIn(task) {
            failure = .unusableCapture(rejected)
        } catch {
            failure = .undecodable("the plan cannot give the task: \(error)")
        }
        failure.isPermanent = true
        return fail(task, captured, failure, of: &machine)
    }

    /// The part of a fresh task that earlier runs have done; nil for none.
    private func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer? {
        guard isKept(spec), let background, background.knows(spec) else { return nil }
        return try background.recall(spec)
    }

    /// Ends a task that earlier runs have completed, or lets it start.
    private func endEarlier(
        _ spec: TaskSpec,
        _ left: EarlierTransfer,
        of machine: inout RunMachine
    ) -> RunQuestion? {
        if let end = left.end {
            // This run uses up the order's key: no order of a later round gets it.
            if spec.wantsKey { _ = try? orderKeys?.key(of: spec) }
            var record = unbegunRecord(of: spec, end.outcome, machine.now)
            record.changed = false
            record.file = end.file
            record.voucher = end.voucher
            record.earlier = .init(attempts: left.attempts, end: end)
            return machine.taskHadEnded(spec.index, record, end.error)
        }
        let obstacle = left.obstacle(
            to: spec,
            within: sessions[spec.session].timeoutIntervalForResource,
            at: clock.timestamp(of: machine.now),
            leavesUpload: background?.leavesUpload(spec) ?? false
        )
        guard let obstacle else { return machine.taskRead(spec) }
        var record = unbegunRecord(of: spec, .failed, machine.now)
        record.earlier = .init(attempts: left.attempts, end: nil)
        return machine.taskFailed(spec.index, record, obstacle)
    }

    private func fail(
        _ task: Int,
        _ captured: CapturedValues,
        _ failure: TransferFailure,
        of machine: inout RunMachine
    ) -> RunQuestion? {
        machine.taskFailed(task, blankRecord(task, .failed, captured, machine.now), failure)
    }

    // MARK: Records

    private func record(
        of end: TaskLedger.UnbegunEnd,
        _ captured: CapturedValues,
        _ now: MonotonicTime
    ) -> TaskRecord {
        switch end.cause {
        case .skipped(let skip):
            var record = blankRecord(end.task, .skipped, captured, now)
            let failure = failure(of: skip)
            record.error = failure
            if failure.kind == .condition {
                record.cause = source.place(deciding: failure, of: end.task)
            }
            record.isRetryable = skip.verdict == .temporary || skip.verdict == .deferred
            record.isForWantOfMachine = skip.verdict == .environment
            return record
        case .stopped(let reason):
            var record = blankRecord(end.task, reason.outcome, captured, now)
            let failure = reason.failure
            record.end(cancelledBy: failure, at: source.place(deciding: failure, of: end.task))
            return record
        }
    }

    private func failure(of skip: TaskLedger.Skip) -> TransferFailure {
        switch skip.reason {
        case .need(let need, let root, let kind):
            let isOfCondition = kind == .condition
            let ending =
                isOfCondition
                ? "was skipped by its `when`"
                : kind.isDeferral ? "was deferred" : "failed (\(kind.label))"
            var detail = "the task needs \(name(need)), which "
            detail += need == root ? ending : "was skipped because \(name(root)) \(ending)"
            return .cancelled(detail, kind: isOfCondition ? .condition : .cancelled)
        case .end(let need, let end):
            let name = need.map(name) ?? "a `forEach` without items"
            return .cancelled("`when` does not hold: \(name) \(end.words)", kind: .condition)
        case .comparison:
            return .cancelled("`when` does not hold: a comparison is false", kind: .condition)
        }
    }

    private func name(_ task: UInt32) -> String { "`\(source.id(of: Int(task)))`" }

    /// The record of a task that never began; the outline alone of a task that cannot be read.
    private func blankRecord(
        _ index: Int,
        _ outcome: TaskOutcome,
        _ captured: CapturedValues,
        _ now: MonotonicTime
    ) -> TaskRecord {
        if let spec = try? source.task(at: index, captured: captured),
            sessions.indices.contains(spec.session)
        {
            return unbegunRecord(of: spec, outcome, now)
        }
        let date = clock.timestamp(of: now)
        let outline = source.outline(of: index)
        let session = outline.session.flatMap { session in
            sessions.indices.contains(session) ? sessions[session] : nil
        }
        var record = TaskRecord(
            id: source.id(of: index),
            taskIdentifier: index + 1,
            taskDescription: outline.description,
            kind: source.kind(of: index),
            session: session?.name ?? "",
            source: outline.source,
            outcome: outcome,
            required: source.isRequired(index),
            request: TransactionMetrics.SentRequest(
                method: outline.method,
                url: outline.url,
                headers: HeaderFields()
            ),
            startDate: date,
            endDate: date
        )
        record.priority = source.priority(of: index)
        record.sessionDescription = session?.sessionDescription
        record.earliestBeginDate = outline.earliestBeginDate?.timestamp(of: clock)
        return record
    }

    private func unbegunRecord(
        of spec: TaskSpec,
        _ outcome: TaskOutcome,
        _ now: MonotonicTime
    ) -> TaskRecord {
        let date = clock.timestamp(of: now)
        return AttemptTrace().record(
            of: spec,
            sent: spec.request,
            outcome,
            session: sessions[spec.session].name,
            required: source.isRequired(spec.index),
            from: date,
            to: date,
            in: .init(
                sessionDescription: sessions[spec.session].sessionDescription,
                priority: source.priority(of: spec.index),
                earliestBeginDate: spec.earliestBeginDate?.timestamp(of: clock)
            )
        )
    }
}

extension TransferFailure {
    /// The failure of a task that the run itself has prevented.
    static func cancelled(_ detail: String, kind: Kind = .cancelled) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: .prepare, detail: detail)
        failure.urlError = .cancelled
        return failure
    }

    /// The failure of a task that the plan accepted and cannot read again.
    fileprivate static func undecodable(_ detail: String) -> TransferFailure {
        TransferFailure(kind: .engine, phase: .prepare, detail: detail)
    }

    /// The failure of a task whose row has changed since the check.
    fileprivate static func changedData(_ rejected: PlanRejected) -> TransferFailure {
        var failure = TransferFailure(kind: .localIO, phase: .prepare, detail: rejected.summary)
        failure.isKnownUnprocessed = true
        failure.help = "run the job again; replace data files by renaming a new one over them"
        return failure
    }

    /// The failure of a task whose settings are wrong with a peer's text filled in: nothing is
    /// sent.
    fileprivate static func unusableCapture(_ rejected: PlanRejected) -> TransferFailure {
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: .prepare,
            detail: "values captured by other tasks are not valid here: \(rejected)"
        )
        failure.isKnownUnprocessed = true
        failure.help = "check the captures of those tasks and their responses"
        return failure
    }
}

extension NeedEnd {
    /// The outcome in words that follow the name of the task.
    fileprivate var words: String {
        switch self {
        case .succeeded: "succeeded"
        case .skipped: "was skipped"
        case .deferred: "was deferred"
        case .failed: "failed"
        }
    }
}

/// Makes the idempotency keys of a run's orders; used on the scheduler's thread.
package protocol OrderKeys: AnyObject {
    /// The key of a task's order, which begins.
    ///
    /// - Throws: When no key can be made; the order is not sent then.
    func key(of spec: TaskSpec) throws(TransferFailure) -> OrderKey

    /// Writes to the disk that the orders begin whose keys were made, before any of them is sent.
    ///
    /// - Throws: When that fails; none of them is sent then.
    func commit() throws(TransferFailure)
}
