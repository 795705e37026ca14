internal import SystemKit

/// A thread that looks at the engine's threads once a second.
final class EngineWatcher: Sendable {
    /// How long the thread sleeps, milliseconds.
    private static let interval: Int32 = 1000

    private let isStopped = Lock(false)
    private let wakeUp: EventPoll.WakeUp
    private let thread: JoinableThread

    /// Starts the thread.
    init(look: @escaping @Sendable () -> Void) throws(SystemError) {
        let (isStopped, wakeUp) = (isStopped, try EventPoll.WakeUp())
        self.wakeUp = wakeUp
        thread = try JoinableThread(name: "watch") {
            let poll = EventPoll(wakeUp)
            var events: [EventPoll.Event] = []
            while !isStopped.withLock({ $0 }) {
                look()
                poll.wait(milliseconds: Self.interval, into: &events)
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
