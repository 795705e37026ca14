internal import SystemKit

/// Reads the standard error of programs on a thread of its own, which starts with the first
/// program.
///
/// While a program's last text is not taken, no more is read and the program waits, as for a
/// terminal. Belongs to the engine thread that made it.
final class ErrorRelay {
    /// The relay thread's mailbox.
    private final class Inlet: Sendable {
        struct State {
            var added: [ErrorStream] = []
            var isStopped = false
        }

        let state = Lock(State())
        let wakeUp: EventPoll.WakeUp

        init() throws(SystemError) { wakeUp = try EventPoll.WakeUp() }
    }

    private let say: ErrorText.Handover
    private var running: (inlet: Inlet, thread: JoinableThread)?

    /// The interval for checking whether a text was taken, milliseconds.
    private static let lookInterval: Int32 = 1

    init(say: @escaping ErrorText.Handover) { self.say = say }

    /// Hands on the text from a pipe until its end, or until the stream is closed.
    ///
    /// - Parameters:
    ///   - pipe: The standard error of a program.
    ///   - key: The attempt that runs the program.
    /// - Returns: The stream, to be closed when the attempt ends.
    /// - Throws: `SystemError` when the kernel has no thread or descriptor left.
    func add(_ pipe: PipeReader, key: Int) throws(SystemError) -> ErrorStream {
        let (inlet, _) = try start()
        let stream = ErrorStream(pipe, key: key, say: say)
        inlet.state.withLock { $0.added.append(stream) }
        inlet.wakeUp.signal()
        return stream
    }

    /// Ends the thread; every stream must be closed before.
    func stop() {
        guard let (inlet, thread) = running else { return }
        running = nil
        inlet.state.withLock { $0.isStopped = true }
        inlet.wakeUp.signal()
        thread.join()
    }

    private func start() throws(SystemError) -> (inlet: Inlet, thread: JoinableThread) {
        if let running { return running }
        let inlet = try Inlet()
        let thread = try JoinableThread(name: "stderr") {
            var loop = Loop(poll: EventPoll(inlet.wakeUp))
            while true {
                let (added, isStopped) = inlet.state.withLock { state in
                    defer { state.added = [] }
                    return (state.added, state.isStopped)
                }
                if isStopped { return }
                loop.turn(added)
            }
        }
        running = (inlet, thread)
        return (inlet, thread)
    }

    /// The state of the thread.
    private struct Loop {
        let poll: EventPoll
        var streams: [UInt64: ErrorStream] = [:]
        /// The streams that are not watched until their last text is taken.
        var ahead: [UInt64: @Sendable () -> Bool] = [:]
        var nextTag: UInt64 = 0
        var events: [EventPoll.Event] = []

        mutating func turn(_ added: [ErrorStream]) {
            for stream in added {
                nextTag += 1
                streams[nextTag] = stream
                watch(nextTag)
            }
            for (tag, isTaken) in ahead where isTaken() {
                ahead[tag] = nil
                watch(tag)
            }
            poll.wait(milliseconds: ahead.isEmpty ? -1 : lookInterval, into: &events)
            for event in events { read(event.tag) }
        }

        /// Watches a stream; one that cannot be watched is read when its attempt ends.
        private mutating func watch(_ tag: UInt64) {
            guard let stream = streams[tag] else { return }
            do throws(SystemError) {
                try poll.watch(stream.descriptor, for: .readable, tag: tag)
            } catch {
                streams[tag] = nil
            }
        }

        private mutating func read(_ tag: UInt64) {
            guard let stream = streams[tag] else { return }
            switch stream.read() {
            case .nothingYet: break
            case .handedOn(let isTaken):
                poll.unwatch(stream.descriptor)
                ahead[tag] = isTaken
            case .ended:
                poll.unwatch(stream.descriptor)
                streams[tag] = nil
            }
        }
    }
}
