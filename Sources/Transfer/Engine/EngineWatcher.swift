internal import CurlKit
internal import SystemKit

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
