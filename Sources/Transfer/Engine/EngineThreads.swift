internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The threads of an engine by their numbers, each with its mailbox; a thread that is stuck in a
/// library can be replaced.
final class EngineThreads: Sendable {
    /// One thread.
    private struct Loop {
        let mailbox = Lock(EngineMailbox())
        /// The ends that the thread has not delivered yet.
        let results = Lock<[AttemptEvent]>([])
        let wakeUp: EventPoll.WakeUp
        let watch: CallWatch
        var thread: JoinableThread?

        init(_ library: CurlLibrary) throws(SystemError) {
            wakeUp = try EventPoll.WakeUp()
            watch = CallWatch(of: library)
        }

        mutating func start(
            _ number: Int,
            _ context: EngineContext,
            _ share: EngineShare
        ) throws(SystemError) {
            let (mailbox, results, wakeUp, watch) = (mailbox, results, wakeUp, watch)
            thread = try JoinableThread(name: "engine \(number)") {
                EngineLoop(context, share, EventPoll(wakeUp), watch, results).run(mailbox)
            }
        }

        func post(_ change: (inout EngineMailbox) -> Void) {
            let wasEmpty = mailbox.withLock { mailbox in
                let wasEmpty = mailbox.isEmpty
                change(&mailbox)
                return wasEmpty
            }
            // A mailbox that is not empty has already signalled its thread.
            if wasEmpty { wakeUp.signal() }
        }
    }

    /// The unfinished work of a replaced thread.
    struct Rest {
        /// The keys of the attempts that it had not taken, which begin on the new thread.
        var untaken: Set<Int>
        /// The ends that it had not delivered.
        var results: [AttemptEvent]
    }

    private struct State {
        var loops: [Loop]
        /// nil before the start.
        var context: EngineContext?
        /// Tells a thread to end; nil before the end.
        var stop: (@Sendable (inout EngineMailbox) -> Void)?
    }

    private let shares: [EngineShare]
    private let library: CurlLibrary
    private let state: Lock<State>

    /// Prepares a thread for each share, to call that libcurl.
    init(_ shares: [EngineShare], _ library: CurlLibrary) throws(SystemError) {
        self.shares = shares
        self.library = library
        state = Lock(State(loops: try shares.map { _ throws(SystemError) in try Loop(library) }))
    }

    /// The number of threads.
    var count: Int { shares.count }

    /// Starts all threads.
    func start(_ context: EngineContext) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            state.context = context
            for (number, share) in shares.enumerated() {
                try state.loops[number].start(number, context, share)
            }
        }
    }

    /// Changes the mailbox of one thread.
    func post(to thread: Int, _ change: (inout EngineMailbox) -> Void) {
        state.withLock { $0.loops[thread].post(change) }
    }

    /// Changes the mailboxes of all threads.
    func post(_ change: (inout EngineMailbox) -> Void) {
        state.withLock { state in
            for loop in state.loops { loop.post(change) }
        }
    }

    /// Looks whether a thread is stuck.
    func look(at thread: Int) -> CallWatch.Verdict {
        let watch = state.withLock { $0.loops[thread].watch }
        return watch.look()
    }

    /// Replaces a thread that will never return.
    ///
    /// - Returns: nil while there is no descriptor or thread for another one.
    func replace(_ number: Int) -> Rest? {
        state.withLock { state in
            guard let context = state.context, var loop = try? Loop(library),
                (try? loop.start(number, context, shares[number])) != nil
            else { return nil }
            let results = state.loops[number].results.withLock { $0 }
            let untaken = state.loops[number].mailbox.withLock { mailbox in
                defer { mailbox = EngineMailbox() }
                return mailbox
            }
            loop.post { $0 = untaken }
            if let stop = state.stop { loop.post(stop) }
            state.loops[number] = loop
            let keys = untaken.starts.flatMap { starts in
                starts.positions.map { starts.attempts[$0].key }
            }
            return Rest(untaken: Set(keys), results: results)
        }
    }

    /// Tells all threads to end.
    ///
    /// - Parameter limit: When they give up refreshing stored responses; nil leaves that to them.
    func stop(refreshingUntil limit: MonotonicTime?) {
        state.withLock { state in
            let stop: @Sendable (inout EngineMailbox) -> Void = { mailbox in
                mailbox.isStopped = true
                mailbox.refreshLimit = limit
            }
            state.stop = stop
            for loop in state.loops { loop.post(stop) }
        }
    }

    /// Waits for the ends of all threads, or of their replacements.
    func join() {
        for number in shares.indices {
            while let thread = state.withLock({ $0.loops[number].thread }) {
                guard thread.hasEnded(within: 1) else { continue }
                thread.join()
                state.withLock { $0.loops[number].thread = nil }
            }
        }
        // The context delivers results to the object that starts attempts on these threads: a
        // reference cycle.
        state.withLock { $0.context = nil }
    }
}
