internal import CCurl
internal import Synchronization
internal import SystemKit

/// Ends a call into libcurl that would not return: resets the connection that the call reads, and
/// tells when not even that helps.
///
/// libcurl and the libraries below it read a connection for as long as bytes arrive, and look at no
/// time limit meanwhile: neither empty frames of HTTP/2 nor the lines before the version of an SSH
/// server need ever end. The watch measures processor time. Waits for a disk, for a name or for a
/// processor take none, nor does the sleep of the machine.
///
/// Each transfer that a call turns to has that time for itself, because one call may begin a
/// thousand of them. A body ends its part of a call by itself (`EasyHandle.rest`). So no honest
/// call comes near the limit, however long it lasts.
package final class CallWatch: Sendable {
    fileprivate struct State {
        /// The processor time of the watched thread; nil before the thread has begun.
        var clock: Clock.ProcessorTime?
        /// The calls that the thread is in; a callback may call libcurl again.
        var depth = 0
        /// The number of calls begun and of transfers that calls have turned to.
        var works = 0
        /// The tags of the handles for which the present call has called back.
        var handles: Set<Int> = []
        /// The open sockets of the thread, each with the number of its connection.
        var sockets: [Int32: Int] = [:]
        /// The connections that were reset.
        var cut: Set<Int> = []
        /// The state of the present call when the watch first saw it.
        var first: Look?
    }

    /// The state of a call at one time.
    fileprivate struct Look {
        var work: Int
        /// The thread's processor time, nanoseconds.
        var time: Int64
        /// The bytes that the thread had read of each connection at the last look; nil until the
        /// second look at the call.
        var read: [Int: UInt64]?
        /// The connections that it had read before the last look.
        var growing: Set<Int> = []
    }

    /// The watch's judgement of the thread.
    package enum Verdict: Sendable, Hashable {
        case fine
        /// The thread is in a call: the next look should follow soon.
        case isBusy
        /// The call goes on even without its connection. The thread will never return from it, and
        /// its handles must not be used; `handle` is the tag of the call's handle, nil if unknown.
        case isStuck(handle: Int?)
    }

    /// The time between two looks, milliseconds.
    package static let interval: Int32 = 250
    /// The time before another look at a busy thread, milliseconds.
    package static let shortInterval: Int32 = 100

    private let state = Lock(State())
    /// The tag of the handle for which the present call has called back last; `noHandle` before.
    private let handle = Atomic(CallWatch.noHandle)
    /// Whether the thread will never return.
    ///
    /// Behind no lock, like `handle`: a response takes a dozen callbacks for the same handle.
    private let isAbandoned = Atomic(false)
    private static let noHandle = Int.min
    /// The processor time that a call may take for one transfer while it reads a connection,
    /// nanoseconds.
    private let limit: Int64
    /// The processor time after which a call counts as stuck, nanoseconds.
    private let patience: Int64

    /// Creates the watch of a thread.
    ///
    /// - Parameters:
    ///   - library: The libcurl that the thread calls.
    ///   - patience: The processor time for one transfer after which a call will not return even
    ///     without its connection, nanoseconds.
    package init(of library: CurlLibrary? = nil, patience: Int64 = 4_000_000_000) {
        // A slow processor needs a second for the bytes that one call may then read.
        limit = library?.readsAllStreams == true ? 3_000_000_000 : 250_000_000
        self.patience = patience
    }

    // MARK: - On the watched thread

    /// Notes that this thread is the watched one.
    package func begin() { state.withLock { $0.clock = .ofThisThread } }

    /// Notes that a call begins; `endCall` follows.
    func beginCall() {
        state.withLock { state in
            state.depth += 1
            guard state.depth == 1 else { return }
            state.works &+= 1
            handle.store(Self.noHandle, ordering: .relaxed)
            if !state.handles.isEmpty { state.handles.removeAll(keepingCapacity: true) }
        }
    }

    /// Notes that a call ends; does not return when the thread was abandoned meanwhile.
    func endCall() {
        state.withLock { $0.depth -= 1 }
        parkIfAbandoned()
    }

    /// Notes that libcurl calls back for a handle; does not return when the thread was abandoned
    /// meanwhile.
    func willCallBack(for handle: Int) {
        if self.handle.load(ordering: .relaxed) != handle {
            state.withLock { state in
                self.handle.store(handle, ordering: .relaxed)
                if state.handles.insert(handle).inserted { state.works &+= 1 }
            }
        }
        parkIfAbandoned()
    }

    private func parkIfAbandoned() {
        if isAbandoned.load(ordering: .acquiring) { JoinableThread.park() }
    }

    func didOpen(_ socket: Int32, connection: Int) {
        state.withLock { $0.sockets[socket] = connection }
    }

    func willClose(_ socket: Int32) { state.withLock { $0.sockets[socket] = nil } }

    /// Whether the connection with that number was reset.
    func hasCut(_ connection: Int) -> Bool { state.withLock { $0.cut.contains(connection) } }

    // MARK: - On another thread

    /// Looks at the thread; to be called after each `interval`, until a stuck thread is replaced.
    package func look() -> Verdict {
        state.withLock { state in
            if isAbandoned.load(ordering: .relaxed) { return stuck }
            guard state.depth > 0, let time = state.clock?.nanoseconds else {
                return .fine
            }
            guard let first = state.first, first.work == state.works else {
                state.first = Look(work: state.works, time: time)
                return .isBusy
            }
            let used = time - first.time
            guard used > 0 else { return .isBusy }
            state.lookAtConnections(mayReset: used > limit)
            guard used > patience else { return .isBusy }
            isAbandoned.store(true, ordering: .releasing)
            return stuck
        }
    }

    private var stuck: Verdict {
        let handle = handle.load(ordering: .relaxed)
        return .isStuck(handle: handle == Self.noHandle ? nil : handle)
    }
}

extension CallWatch.State {
    /// The bytes that the thread has read of each open connection.
    fileprivate var readBytes: [Int: UInt64] {
        var result: [Int: UInt64] = [:]
        for (socket, connection) in sockets {
            var facts = ccurl_socket_facts()
            guard unsafe ccurl_socket_progress(socket, &facts) == 1 else { continue }
            result[connection] = facts.read
        }
        return result
    }

    /// Counts the bytes that the present call has read since the last look, and resets the
    /// connections that it read before both last looks.
    fileprivate mutating func lookAtConnections(mayReset: Bool) {
        let now = readBytes
        let earlier = first?.read ?? now
        let growing = Set(now.keys.filter { (now[$0] ?? 0) > earlier[$0] ?? 0 })
        if mayReset {
            for (socket, connection) in sockets
            where growing.contains(connection) && first?.growing.contains(connection) == true
                && cut.insert(connection).inserted
            {
                SocketOptions.reset(socket)
            }
        }
        first?.read = now
        first?.growing = growing
    }
}
