internal import Cookies
internal import CurlKit
internal import HTTPCache
internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// One thread of the engine: drives its multi handle of every session from one epoll set.
///
/// Made and used on that thread only; no handle ever leaves it.
final class EngineLoop: MultiHandle.Driver {
    private let sockets: SocketTable
    private let errors: ErrorRelay
    private let turn = EngineTurn()
    private let context: EngineContext
    private let share: EngineShare
    /// nil when no session has a network policy.
    private let paths: PathFinder?
    private let keeper: PartialKeeper
    /// nil when no script chooses the proxies of a session.
    private let proxies: ProxyFinder?
    private let programs: RunningPrograms
    /// nil when no session has a limit of bandwidth.
    private let pacing: EnginePacing?

    /// This many results are delivered at once, though more are ready.
    private static let resultsPerBatch = 16
    /// The number of turns for which results are held while more are ready.
    private static let mostHeldTurns = 4

    /// The position in `transports` of the transport for a request; also the multi handle's tag.
    private var positions: TransportPositions
    /// The transports; each is made when its first attempt starts.
    private var transports: [SessionTransport?]
    private var timers: EngineTimers
    private var attempts: [Int: Attempt] = [:]
    /// No attempt needs a check before this time.
    private var nextCheck = MonotonicTime(nanoseconds: .max)
    /// Attempts for which libcurl watches no socket; only in sessions that had a streamed body.
    private var dropped: [Int] = []
    /// The ends that are not delivered yet; the replacement of this thread delivers them.
    private let results: Lock<[AttemptEvent]>
    private var refreshes = Refreshes()
    private var segments = SegmentedDownloads()
    private var heldTurns = 0
    private var toPublish: [PublicationJob] = []
    private var publication: Publication

    init(
        _ context: EngineContext,
        _ share: EngineShare,
        _ poll: EventPoll,
        _ watch: CallWatch,
        _ results: Lock<[AttemptEvent]>
    ) {
        self.context = context
        self.results = results
        self.share = share
        sockets = SocketTable(poll, watch: watch)
        errors = ErrorRelay(say: context.say)
        paths = context.network.map(PathFinder.init)
        keeper = PartialKeeper(
            mayWrite: context.files.mayName,
            uploads: context.files.uploads,
            publisher: context.publisher
        )
        proxies = ProxyFinder(context.sessions, sockets)
        programs = RunningPrograms(sockets, errors)
        pacing = EnginePacing(context.sessions)
        publication = Publication(durability: context.publisher.durability)
        positions = TransportPositions(of: context.sessions.map(\.configuration))
        transports = Array(repeating: nil, count: context.sessions.count)
        timers = EngineTimers(count: context.sessions.count)
    }

    /// Works until the mailbox asks to stop.
    func run(_ mailbox: Lock<EngineMailbox>) {
        while true {
            let commands = mailbox.withLock { mailbox in
                let taken = mailbox
                mailbox = EngineMailbox()
                return taken
            }
            for starts in commands.starts {
                for position in starts.positions { start(starts.attempts[position]) }
            }
            for key in commands.cancellations { cancel(key) }
            if commands.hasNetworkChanged { endLostPaths() }
            if commands.wantsProgress {
                let wanted = attempts.values.map(\.exchange).filter { $0.request.purpose == .task }
                deliver(.progress(wanted.map { AttemptProgress(of: $0) }))
            }
            if commands.endsRefreshes { endRefreshes() }
            if commands.isStopped { refreshes.runEnds(at: .now, limit: commands.refreshLimit) }
            if let end = refreshes.end, isAtEnd(refreshingUntil: end) {
                flush()
                programs.finish()
                errors.stop()
                endConnections()
                return
            }
            if let pacing { resumePaced(pacing) }
            if let proxies { goOn(proxies.endOverdue(.now)) }
            if programs.nextTime.nanoseconds < .max { programs.endOverdue(.now) }
            runTimers()
            sockets.releaseGuards()
            reap()
            // The mailbox may have the command that ended the check's wait, and its sender signals
            // only once.
            for key in sockets.takeResting() { turn.continueLater(key) }
            let wasReady = checkAttempts()
            while let refresh = refreshes.next() {
                context.sessions[refresh.session].requests?.charge(1, .now)
                start(refresh)
            }
            turnSegments()
            turn.takeWaiting { key in
                guard let attempt = attempts[key] else { return }
                perform(attempt.takeTurn(), of: attempt)
            }
            if holdsResults, awaitSockets(milliseconds: 0) { continue }
            flush()
            awaitSockets(milliseconds: wasReady ? 0 : waitMilliseconds())
        }
    }

    /// Cancels all tasks' attempts; true unless stored responses are being refreshed and there is
    /// time for that.
    private func isAtEnd(refreshingUntil end: MonotonicTime) -> Bool {
        nextCheck = min(nextCheck, end)
        if MonotonicTime.now >= end { endRefreshes() }
        cancelAll(.task)
        return attempts.isEmpty && refreshes.isEmpty
    }

    /// Closes all connections; under a policy, their ports are held until no packet of them is
    /// under way.
    private func endConnections() {
        sockets.stopReading()
        transports.removeAll()
        sockets.awaitQuiet()
    }

    /// Gives up all current and pending refreshes.
    private func endRefreshes() {
        refreshes.giveUp()
        cancelAll(.refresh)
    }

    /// Whether to hold results so that more go out in one batch: only while more is ready, and only
    /// for a few turns.
    private var holdsResults: Bool {
        let count = results.withLock(\.count)
        guard count > 0, heldTurns < Self.mostHeldTurns else { return false }
        heldTurns += 1
        return count < Self.resultsPerBatch
    }

    /// Waits, lets libcurl work on the ready sockets, and takes in ended transfers; false when
    /// nothing was ready.
    @discardableResult
    private func awaitSockets(milliseconds: Int32) -> Bool {
        let wasReady = sockets.wait(milliseconds: milliseconds, wake: { turn.begin() }) {
            tag,
            socket,
            ready in
            timers.didFindSocket(tag)
            transports[tag]?.multi.socketAction(socket, ready: ready)
        } unwanted: { tag, socket in
            transports[tag]?.multi.readReply(on: socket) == true
        } input: { key in
            resume(key)
        }
        if wasReady { reap() }
        return wasReady
    }

    /// Resumes an attempt whose body had nothing to send, or whose conversation waited.
    private func resume(_ key: Int) {
        if let proxies, proxies.owns(key) { return goOn(proxies.read(key, .now)) }
        guard let attempt = attempts[key] else { return }
        guard attempt.exchange.conversation == nil else {
            return perform(attempt.converse(), of: attempt)
        }
        // The event may be of a program that has just ended.
        guard attempt.exchange.body.isWaiting else { return }
        do throws(CurlCode) {
            try attempt.exchange.resumeBody()
        } catch {
            end(attempt, after: error)
        }
    }

    /// Continues the attempts whose turn has come under their session's bandwidth.
    private func resumePaced(_ pacing: EnginePacing) {
        guard pacing.nextTime.nanoseconds < .max else { return }
        let now = MonotonicTime.now
        for key in pacing.takeDue(now) {
            // The end of an earlier attempt may have released this one.
            guard let attempt = attempts[key], let pace = attempt.exchange.policies.pace
            else { continue }
            let exchange = attempt.exchange
            do throws(CurlCode) {
                if try pace.takeTurn(of: exchange, now) {
                    try exchange.session.multi.add(exchange.handle)
                }
                if let conversation = exchange.conversation, !conversation.isPaused {
                    perform(attempt.converse(), of: attempt)
                    continue
                }
                nextCheck = min(nextCheck, exchange.watch.nextCheck)
            } catch {
                end(attempt, after: error)
            }
        }
    }

    // MARK: - MultiHandle.Driver

    func multi(_ tag: Int, setTimer milliseconds: Int?) {
        timers.set(tag, milliseconds: milliseconds, at: .now)
    }

    func multi(_ tag: Int, didDropSocketOf handle: EasyHandle) {
        dropped.append(handle.tag)
    }

    // MARK: - Attempts

    private func start(_ request: consuming AttemptRequest) {
        let now = MonotonicTime.now
        let session: SessionTransport
        let handle: EasyHandle
        do throws(CurlCode) {
            session = try transport(for: request)
            handle = try session.takeHandle()
        } catch {
            switch request.purpose {
            case .task:
                let failure = TransferFailure(ExchangeEnd(code: error, phase: .prepare))
                deliver(.finished(AttemptResult(of: request, failure, now)))
            case .refresh: refreshes.didEnd(request, at: now)
            case .segment: break
            }
            return
        }
        keeper.handOver(to: &request)
        if !segments.isEmpty { segments.wake() }
        begin(consume request, handle, session, now)
    }

    /// Begins an attempt, whose exchange may be part of another one.
    private func begin(
        _ request: consuming AttemptRequest,
        _ handle: EasyHandle,
        _ session: SessionTransport,
        _ now: MonotonicTime,
        as segment: (SegmentedDownload, lane: Int, SegmentRequest)? = nil
    ) {
        let (key, number) = (request.key, request.session)
        handle.tag = key
        let exchange = Exchange(
            consume request,
            handle: handle,
            session: session,
            keeper: keeper,
            pace: pacing?.pace(of: key, session: number),
            now: now
        )
        if let (download, lane, request) = segment {
            exchange.policies.part.join(SegmentRole(download, lane: lane, request: request))
            download.didStart(lane, exchange)
        }
        handle.client = exchange.file.map { FileTransferClient(exchange, $0) } ?? exchange
        let attempt = Attempt(exchange: exchange)
        attempts[key] = attempt
        perform(attempt.begin(sockets, errors), of: attempt)
    }

    // MARK: - Segments

    /// Lets the downloads over several connections begin and end requests.
    private func turnSegments() {
        segments.add(turn.takeDownloads().compactMap { ($0 as? SegmentRole)?.download })
        guard !segments.isEmpty else { return }
        let now = MonotonicTime.now
        for download in segments.takeDue(at: now) {
            // The last step releases the attempt's exchange.
            while !download.isOver,
                let step = download.step(within: places(of: download), at: now)
            {
                carryOut(step, of: download, now)
            }
        }
    }

    /// The connections that a download may have at the server of each source, its running ones
    /// included.
    private func places(of download: SegmentedDownload) -> [Int] {
        let session = download.main.session
        let limit = share.part(of: session.configuration.httpMaximumConnectionsPerHost)
        return download.sources.map { source in
            let origin = download.origin(of: source)
            let others = attempts.values.count { attempt in
                let exchange = attempt.exchange
                return exchange.session === session && exchange.hop.url.origin == origin
                    && SegmentRole.of(exchange)?.isOf(source, of: download) != true
            }
            return limit - others
        }
    }

    private func carryOut(
        _ step: SegmentMachine.Step,
        of download: SegmentedDownload,
        _ now: MonotonicTime
    ) {
        switch step {
        case .request(let lane, let source, let range):
            var (request, segment) = download.attempt(for: range, from: source)
            request.key = segments.takeKey()
            do throws(CurlCode) {
                let handle = try download.main.session.takeHandle()
                begin(request, handle, download.main.session, now, as: (download, lane, segment))
            } catch {
                download.didNotStart(lane, at: now)
            }
        case .cancel(let lane):
            guard let exchange = download.cancel(lane) else { return }
            guard download.isMain(lane) else { return release(Attempt(exchange: exchange)) }
            exchange.endPace()
        case .end(let outcome):
            let attempt = Attempt(exchange: download.main)
            perform(attempt.conclude(outcome, of: download), of: attempt)
        }
    }

    private func perform(_ next: Attempt.Next, of attempt: Attempt) {
        switch next {
        case .exchange(let request):
            nextCheck = min(nextCheck, attempt.exchange.watch.nextCheck)
            do throws(CurlCode) {
                let isHeld = attempt.exchange.policies.pace?.holds(request, .now) ?? false
                try attempt.exchange.handle.prepare(request)
                if !isHeld { try attempt.exchange.session.multi.add(attempt.exchange.handle) }
            } catch {
                perform(
                    attempt.abort(TransferFailure(ExchangeEnd(code: error, phase: .prepare))),
                    of: attempt
                )
            }
        case .findProxy(let origin):
            nextCheck = min(nextCheck, attempt.exchange.watch.nextCheck)
            let request = (attempt.exchange.request.session, attempt.exchange.request.key)
            goOn(proxies?.ask(origin, session: request.0, for: request.1, .now) ?? [])
        case .program:
            nextCheck = min(nextCheck, attempt.exchange.watch.nextCheck)
            perform(attempt.beginProgram(in: programs), of: attempt)
        case .read:
            nextCheck = min(nextCheck, attempt.exchange.watch.nextCheck)
            turn.continueLater(attempt.exchange.request.key)
        case .turned(let turn):
            nextCheck = min(nextCheck, attempt.nextCheck)
            let exchange = attempt.exchange
            if exchange.policies.pace?.holdsConversation(of: exchange) == true { return }
            if case .hasMore = turn { self.turn.continueLater(attempt.exchange.request.key) }
        case .receives:
            nextCheck = min(nextCheck, attempt.exchange.watch.nextCheck)
        case .breaksOff(let code): end(attempt, after: code)
        case .leftSegment: release(attempt)
        case .finished(let result):
            release(attempt)
            if attempt.exchange.request.purpose == .task { deliver(.finished(result)) }
        case .publish(let job):
            release(attempt)
            if publication.isQuick(job) {
                deliver(.finished(publication.publish(job)))
            } else {
                context.publisher.expect(job)
                toPublish.append(job)
            }
        }
    }

    /// Continues the attempts that waited for their session's script.
    private func goOn(_ outcomes: [ProxyFinder.Outcome]) {
        for outcome in outcomes {
            guard let attempt = attempts[outcome.key] else { continue }
            let next = outcome.failure.map { attempt.end(unsent: $0) } ?? attempt.sendRouted()
            perform(next, of: attempt)
        }
    }

    /// Ends the attempts whose connection ended while their body had nothing to send.
    private func endStuck() {
        let keys = dropped
        dropped.removeAll(keepingCapacity: true)
        for key in keys {
            guard let attempt = attempts[key], attempt.exchange.isStuck,
                !attempt.exchange.handle.hasSocket
            else {
                continue
            }
            end(attempt, with: attempt.exchange.recorder.stage.connectionLoss)
        }
    }

    private func release(_ attempt: Attempt) {
        // Closed before the result is delivered, so that the program's standard error comes first.
        attempt.exchange.body.reader?.close()
        attempts[attempt.exchange.request.key] = nil
        attempt.exchange.endPace()
        proxies?.forget(attempt.exchange.request.key)
        turn.forget(attempt.exchange.request.key)
        attempt.exchange.session.giveBack(attempt.exchange.handle)
        if let download = SegmentRole.of(attempt.exchange)?.downloadOfAttempt {
            for exchange in download.takeLeftover() { release(Attempt(exchange: exchange)) }
        }
        if let refresh = attempt.refresh { refreshes.add(refresh) }
        if attempt.exchange.request.purpose == .refresh {
            refreshes.didEnd(attempt.exchange.request, at: .now)
        }
    }

    /// Cancels the attempts of one purpose, in the order of their keys.
    private func cancelAll(_ purpose: AttemptRequest.Purpose) {
        for key in attempts.keys.sorted() where attempts[key]?.exchange.request.purpose == purpose {
            cancel(key)
        }
    }

    private func cancel(_ key: Int) {
        // `Engine.cancel` may have come to the publisher before the attempt's file.
        guard let attempt = attempts[key] else { return context.publisher.cancel([key]) }
        end(attempt, with: attempt.exchange.recorder.stage.cancellation)
    }

    private func end(_ attempt: Attempt, with failure: TransferFailure) {
        breakOff(attempt)
        turn.forget(attempt.exchange.request.key)
        attempt.exchange.endPace()
        guard let conversation = attempt.exchange.conversation else {
            return perform(attempt.abort(failure), of: attempt)
        }
        conversation.end(with: failure, at: .now)
        perform(attempt.end(conversation), of: attempt)
    }

    /// Ends an exchange that libcurl cannot continue, because a callback has ended it meanwhile.
    private func end(_ attempt: Attempt, after code: CurlCode) {
        breakOff(attempt)
        didEnd(attempt, code)
    }

    private func breakOff(_ attempt: Attempt) {
        if attempt.exchange.file != nil { attempt.exchange.handle.resetFileTransfer() }
        attempt.exchange.session.multi.remove(attempt.exchange.handle)
    }

    private func didEnd(_ attempt: Attempt, _ code: CurlCode) {
        attempt.exchange.endPace()
        if !attempt.holdsEnd(code) { perform(attempt.end(code), of: attempt) }
    }

    /// Calls `body` with each running attempt; the end of one attempt may release others, whose
    /// handles then belong to no attempt.
    private func forEachAttempt(_ body: (Attempt) -> Void) {
        for key in Array(attempts.keys) {
            if let attempt = attempts[key] { body(attempt) }
        }
    }

    /// Ends the attempts whose interface is gone or is no longer permitted.
    private func endLostPaths() {
        guard let network = paths?.current else { return }
        forEachAttempt { attempt in
            guard let failure = attempt.exchange.lostPath(in: network) else { return }
            attempt.exchange.resetForbiddenPath()
            end(attempt, with: failure)
        }
        for case let transport? in transports { transport.resetForbidden(in: network) }
    }

    private func transport(
        for request: borrowing AttemptRequest
    ) throws(CurlCode) -> SessionTransport {
        let position = positions.position(for: request)
        while transports.count < positions.count {
            transports.append(nil)
            timers.append()
        }
        if let transport = transports[position] { return transport }
        let session = context.sessions[request.session]
        let transport = try SessionTransport(
            session,
            context,
            tag: position,
            driver: self,
            sockets: sockets,
            turn: turn,
            access: request.access.intersection(session.configuration.access),
            paths: paths,
            scripted: proxies?.routes(of: request.session),
            share: share,
            isForConversations: request.conversationStart != nil
        )
        transports[position] = transport
        return transport
    }

    // MARK: - Turning

    private func runTimers() {
        guard timers.next != nil else { return }
        let now = MonotonicTime.now
        var first = 0
        while let tag = timers.takeDue(from: first, now) {
            transports[tag]?.multi.timeoutAction()
            first = tag + 1
        }
    }

    private func reap() {
        for case let transport? in transports {
            while let (handle, code) = transport.multi.nextDone() {
                if handle.isConnectOnly, code.isOK, let attempt = attempts[handle.tag] {
                    perform(attempt.beginConversation(), of: attempt)
                    continue
                }
                transport.multi.remove(handle)
                if let attempt = attempts[handle.tag] { didEnd(attempt, code) }
            }
        }
        if !dropped.isEmpty { endStuck() }
    }

    /// Ends silent, slow and overdue attempts; looks at the attempts only when one can be due.
    ///
    /// - Returns: Whether a socket or a wake-up was ready meanwhile.
    private func checkAttempts() -> Bool {
        nextCheck = min(nextCheck, turn.takeLookTime())
        guard nextCheck.nanoseconds < .max, .now >= nextCheck else { return false }
        // After a pause of this thread or process, the peers were not silent: first read the bytes
        // that they sent.
        let wasReady = awaitSockets(milliseconds: 0)
        let now = MonotonicTime.now
        nextCheck = refreshes.end ?? MonotonicTime(nanoseconds: .max)
        forEachAttempt { attempt in
            pacing?.excuse(attempt.exchange, now)
            if turn.isWaiting(attempt.exchange.request.key) {
                attempt.exchange.watch.excuse(until: now)
            }
            if let failure = attempt.exchange.overdue(at: now) {
                end(attempt, with: failure)
            } else if let time = attempt.exchange.conversation?.nextTime, now >= time {
                perform(attempt.converse(), of: attempt)
            } else {
                attempt.exchange.lookAtPart(at: now)
                nextCheck = min(nextCheck, attempt.nextCheck)
            }
        }
        return wasReady
    }

    /// Delivers an event with the next batch.
    private func deliver(_ event: AttemptEvent) { results.withLock { $0.append(event) } }

    /// Delivers the results and files that finished since the last call, in one batch each.
    private func flush() {
        heldTurns = 0
        if !toPublish.isEmpty {
            context.publisher.submit(toPublish)
            toPublish.removeAll(keepingCapacity: true)
        }
        let events = results.withLock { results in
            defer { results = [] }
            return results
        }
        if !events.isEmpty { context.deliver(events) }
    }

    /// The time until the next timer or check, rounded up so that it is due when the wait is over.
    private func waitMilliseconds() -> Int32 {
        if turn.hasWaiting || sockets.hasResting || segments.isDue { return 0 }
        nextCheck = min(nextCheck, turn.takeLookTime())
        var next = nextCheck
        if let timer = timers.next { next = min(next, timer) }
        if let pacing { next = min(next, pacing.nextTime) }
        next = min(next, segments.nextTime)
        if let proxies { next = min(next, proxies.nextTime) }
        next = min(next, programs.nextTime)
        if let check = sockets.nextGuardCheck {
            next = min(next, MonotonicTime(nanoseconds: check))
        }
        guard next.nanoseconds < .max else { return -1 }
        let nanoseconds = (next - .now).nanoseconds
        return nanoseconds <= 0 ? 0 : Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }
}
