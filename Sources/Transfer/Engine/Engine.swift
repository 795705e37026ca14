internal import CurlKit
package import HTTPCache
package import NetworkPath
internal import SystemKit
package import TransferModel

/// Carries out attempts by libcurl: each handle belongs to one engine thread, and other threads
/// send commands and receive values.
package final class Engine: AttemptRunner {
    /// Why an engine could not be made.
    package struct StartFailure: Error, Sendable, Hashable {
        /// A sentence for the user, without its full stop.
        package var message: String
    }

    /// The libraries that carry out the transfers, for reports.
    package let description: RunHeader.Engine
    /// The limits of requests that parts of files obey, by session; nil for a session without one.
    package let requestTurns: [RequestTurns?]
    private let loops: EngineThreads
    /// Behind a lock, because attempts start and finish on different threads.
    private let dispatch: Lock<EngineDispatch>
    private let publisher: Publisher
    private let publishers: Lock<[JoinableThread]>
    private let watcher: EngineWatcher
    /// The longest duration of the tasks of each session.
    private let resourceLimits: [TimeLimit?]

    /// With fewer concurrent attempts a second thread does not pay.
    private static let attemptsPerThread = 8

    /// Loads libcurl and starts the threads.
    ///
    /// - Parameters:
    ///   - sessions: The sessions, by `AttemptRequest.session`.
    ///   - invalidation: Receives the requests that may change something; nil when no session has a
    ///     cache.
    ///   - maximumConcurrentAttempts: The number of connections to keep.
    ///   - files: The rules and records of the files of attempts.
    ///   - clock: Turns readings into dates.
    ///   - network: The state of the machine's interfaces; nil when no session has a network
    ///     policy.
    ///   - environment: The environment's variables, which may name proxies and roots.
    ///   - say: Receives the standard error of programs, on threads that the engine owns; all of it
    ///     before the result of its attempt.
    ///   - deliver: Receives results in batches, on threads that the engine owns.
    /// - Throws: `StartFailure` without libcurl, threads or descriptors, and for unusable proxies.
    package init(
        sessions: [EngineSession],
        invalidation: Invalidation? = nil,
        maximumConcurrentAttempts: Int,
        files: EngineFiles = EngineFiles(),
        clock: RunClock,
        network: NetworkMonitor? = nil,
        environment: (String) -> String?,
        say: @escaping ErrorText.Handover,
        deliver: @escaping @Sendable ([AttemptEvent]) -> Void
    ) throws(StartFailure) {
        let library = try Self.loadLibrary()
        description = Self.description(of: library)
        let threadCount = Self.threadCount(for: maximumConcurrentAttempts)
        let configurations = sessions.map(\.configuration)
        requestTurns = configurations.map { RequestTurns($0.limits, now: clock.monotonic) }
        resourceLimits = configurations.map(\.resourceLimit)
        let hasCache = sessions.map { $0.cache != nil }
        let dispatch = Lock(
            EngineDispatch(sessions: configurations, hasCache: hasCache, threadCount: threadCount)
        )
        self.dispatch = dispatch
        let loops = try Self.threads(dispatch.withLock { $0.shares }, library)
        self.loops = loops
        let pass: @Sendable ([AttemptEvent]) -> Void = { events in
            let (passed, released) = dispatch.withLock { dispatch in
                (dispatch.pass(events), dispatch.takeReleased())
            }
            if !released.isEmpty { Self.hand(released, to: loops, dispatch, mayWait: false) }
            if !passed.isEmpty { deliver(passed) }
        }
        let publisher = Publisher(
            durability: files.durability,
            uploads: files.uploads,
            written: files.written,
            deliver: pass
        )
        self.publisher = publisher
        let context = EngineContext(
            sessions: try Self.prepare(sessions, library, requestTurns, environment),
            invalidation: invalidation,
            maximumConcurrentAttempts: maximumConcurrentAttempts,
            network: network,
            clock: clock,
            publisher: publisher,
            files: files,
            say: say,
            deliver: pass
        )
        do throws(SystemError) {
            publishers = Lock(try publisher.start())
            try loops.start(context)
            watcher = try EngineWatcher {
                var isBusy = false
                for thread in 0..<loops.count {
                    switch loops.look(at: thread) {
                    case .fine: break
                    case .isBusy: isBusy = true
                    case .isStuck(let handle):
                        pass(Self.replace(thread, of: loops, dispatch, publisher, stuckBy: handle))
                    }
                }
                return isBusy
            }
        } catch {
            publisher.stop()
            throw StartFailure(message: error.message)
        }
    }

    /// Replaces a thread that is stuck in a call; the attempts that it had not begun begin on the
    /// new thread.
    ///
    /// - Returns: The ends of the attempts that it had begun.
    private static func replace(
        _ thread: Int,
        of loops: EngineThreads,
        _ dispatch: Lock<EngineDispatch>,
        _ publisher: Publisher,
        stuckBy handle: Int?
    ) -> [AttemptEvent] {
        let now = MonotonicTime.now
        return dispatch.withLock { dispatch in
            guard let rest = loops.replace(thread) else { return [] }
            let ended = rest.results.compactMap { event in
                if case .finished(let end) = event { end.result.key } else { nil }
            }
            let begun = dispatch.begun(by: thread, except: rest.untaken.union(ended))
            let lost = begun.filter { !publisher.isPublishing($0.key) }
            return rest.results
                + lost.map { request in
                    let failure = TransferFailure.ofStuckThread(
                        request,
                        isCause: handle == nil || handle == request.key
                    )
                    return .finished(AttemptResult(of: request, failure, now))
                }
        }
    }

    private static func threads(
        _ shares: [EngineShare],
        _ library: CurlLibrary
    ) throws(StartFailure) -> EngineThreads {
        do throws(SystemError) {
            return try EngineThreads(shares, library)
        } catch {
            throw StartFailure(message: error.message)
        }
    }

    private static func loadLibrary() throws(StartFailure) -> CurlLibrary {
        do throws(CurlLibrary.LoadFailure) {
            return try CurlLibrary.load()
        } catch {
            throw StartFailure(message: error.message)
        }
    }

    private static func description(of library: CurlLibrary) -> RunHeader.Engine {
        RunHeader.Engine(
            libcurl: library.version,
            tls: library.tlsVersion,
            http2: library.hasHTTP2,
            http3: library.hasHTTP3
        )
    }

    /// The sessions with the properties that each needs before the first thread starts; the
    /// environment's proxies count only for sessions that take their proxies from it.
    private static func prepare(
        _ sessions: [EngineSession],
        _ library: CurlLibrary,
        _ requestTurns: [RequestTurns?],
        _ environment: (String) -> String?
    ) throws(StartFailure) -> [EngineContext.Session] {
        var shared: ProxyRoutes?
        if sessions.contains(where: { $0.configuration.proxy == .environment }) {
            do throws(ProxyFault) {
                shared = ProxyRoutes(try ProxyEnvironment(environment).servers)
            } catch {
                throw StartFailure(message: error.message)
            }
        }
        let roots = RootsEnvironment(environment)
        return try zip(sessions, requestTurns).map { session, turns throws(StartFailure) in
            let configuration = session.configuration
            return EngineContext.Session(
                configuration: configuration,
                secureProtocol: try secureProtocol(of: configuration, with: library),
                streamTrust: StreamTrust(detectsCuts: library.isHTTP2Safe),
                cookieJar: session.cookieJar,
                cache: session.cache,
                routes: routes(of: configuration, environment: shared),
                script: session.script,
                bandwidth: BandwidthLimit(configuration.limits),
                requests: turns,
                roots: roots
            )
        }
    }

    private static func secureProtocol(
        of configuration: SessionConfiguration,
        with library: CurlLibrary
    ) throws(StartFailure) -> HTTPProtocol {
        do throws(ProtocolFault) {
            return try HTTPProtocol.choose(for: configuration, with: library)
        } catch {
            throw StartFailure(message: error.message)
        }
    }

    private static func routes(
        of configuration: SessionConfiguration,
        environment: ProxyRoutes?
    ) -> ProxyRoutes? {
        switch configuration.proxy {
        case .environment: environment
        case .direct: nil
        case .servers(let servers): ProxyRoutes(servers)
        }
    }

    private static func threadCount(for attempts: Int) -> Int {
        max(1, min(ProcessContext.processorCount, 2, attempts / attemptsPerThread))
    }

    /// Gives the attempts to the threads; returns before they begin.
    package func start(_ attempts: [AttemptRequest]) {
        let others = examine(attempts)
        Self.hand(others ?? attempts, to: loops, dispatch, mayWait: true)
    }

    /// Hands examinations to the publisher; returns the other attempts, nil when all attempts are
    /// others.
    private func examine(_ attempts: [AttemptRequest]) -> [AttemptRequest]? {
        let requests = attempts.span
        var others: [AttemptRequest]?
        for index in requests.indices {
            if case .examination(let examination) = requests[index].sink {
                others = others ?? Array(attempts[..<index])
                let limit = resourceLimits[requests[index].session]
                publisher.submit(PresentFile(examination, for: requests[index], within: limit))
            } else {
                others?.append(attempts[index])
            }
        }
        return others
    }

    /// Gives each attempt to a thread, except attempts that wait for another attempt.
    private static func hand(
        _ attempts: [AttemptRequest],
        to loops: EngineThreads,
        _ dispatch: Lock<EngineDispatch>,
        mayWait: Bool
    ) {
        var batches: [[Int]] = Array(repeating: [], count: loops.count)
        // Read in its place: an attempt is large, and an element of an array would be copied.
        let requests = attempts.span
        dispatch.withLock { dispatch in
            for index in requests.indices {
                if mayWait, dispatch.holds(requests[index]) { continue }
                let place = dispatch.place(
                    requests[index].key,
                    session: requests[index].session,
                    origin: requests[index].request.url.origin,
                    in: attempts,
                    at: index
                )
                batches[place].append(index)
            }
            // Under the lock, so that a thread that is replaced has all attempts that were placed.
            for (thread, batch) in batches.enumerated() where !batch.isEmpty {
                loops.post(to: thread) {
                    $0.starts.append(.init(attempts: attempts, positions: batch))
                }
            }
        }
    }

    /// Ends the attempts with those keys with a failure of kind `cancelled`.
    package func cancel(_ keys: [Int]) {
        publisher.cancel(keys)
        // Waiting attempts go to their threads and end there, like all others.
        let waiting = dispatch.withLock { $0.withdraw(keys) }
        if !waiting.isEmpty { Self.hand(waiting, to: loops, dispatch, mayWait: false) }
        var batches: [[Int]] = Array(repeating: [], count: loops.count)
        let places = dispatch.withLock { dispatch in keys.map { dispatch.thread(of: $0) } }
        for case (let key, let place?) in zip(keys, places) { batches[place].append(key) }
        for (thread, batch) in batches.enumerated() where !batch.isEmpty {
            loops.post(to: thread) { $0.cancellations.append(contentsOf: batch) }
        }
    }

    /// Asks every thread for the progress of its attempts, which `deliver` gets.
    package func reportProgress() {
        dispatch.withLock { $0.beginProgress() }
        loops.post { $0.wantsProgress = true }
    }

    /// Ends the attempts whose interface is gone or is no longer permitted.
    package func networkDidChange() {
        loops.post { $0.hasNetworkChanged = true }
    }

    /// Gives up refreshing stored responses, so that the end of the engine does not wait for it.
    package func endRefreshes() {
        loops.post { $0.endsRefreshes = true }
    }

    /// Cancels the running attempts, delivers their results and joins the threads.
    package func stop() { stop(refreshingUntil: nil) }

    /// Ends the engine: cancels all attempts at once, except refreshes of stored responses.
    ///
    /// - Parameter refreshLimit: When refreshing is given up; nil leaves that to the engine.
    package func stop(refreshingUntil refreshLimit: MonotonicTime?) {
        let waiting = dispatch.withLock { $0.stopHolding() }
        if !waiting.isEmpty { Self.hand(waiting, to: loops, dispatch, mayWait: false) }
        loops.stop(refreshingUntil: refreshLimit)
        // The engine's threads end first, so that the publisher still gets their last files.
        loops.join()
        watcher.stop()
        publisher.stop()
        let joined = publishers.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in joined { thread.join() }
    }
}

extension Engine {
    /// Loads libcurl on a thread of its own, so that a later engine finds it loaded.
    ///
    /// Loading its thirty libraries takes longer than reading a job file of a thousand tasks;
    /// `init` reports a failure.
    package static func preload() {
        _ = try? JoinableThread(name: "load") { _ = try? CurlLibrary.load() }
    }

    /// The SHA-256 of bytes as 64 hexadecimal digits; nil without libcrypto.
    package static func sha256(of bytes: [UInt8]) -> String? {
        MessageDigest.sha256(of: bytes)
    }
}

/// A thread that looks at the engine's threads after each `CallWatch.interval`, or sooner while one
/// of them is busy.
final class EngineWatcher: Sendable {
    private let isStopped = Lock(false)
    private let wakeUp: EventPoll.WakeUp
    private let thread: JoinableThread

    /// Starts the thread; `look` returns whether a thread is busy.
    init(look: @escaping @Sendable () -> Bool) throws(SystemError) {
        let (isStopped, wakeUp) = (isStopped, try EventPoll.WakeUp())
        self.wakeUp = wakeUp
        thread = try JoinableThread(name: "watch") {
            let poll = EventPoll(wakeUp)
            var events: [EventPoll.Event] = []
            while !isStopped.withLock({ $0 }) {
                let isBusy = look()
                let interval = isBusy ? CallWatch.shortInterval : CallWatch.interval
                poll.wait(milliseconds: interval, into: &events)
            }
        }
    }

    /// Ends the thread.
    func stop() {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        if wasStopped { return }
        wakeUp.signal()
        thread.join()
    }
}
