internal import CCurl
internal import SystemKit

/// Ends a call into libcurl that would not return: resets the connection that the call reads, and
/// tells when not even that helps.
///
/// libcurl and the libraries below it read a connection for as long as bytes arrive, and look at no
/// time limit meanwhile: neither empty frames of HTTP/2 nor the lines before the version of an SSH
/// server need ever end. The watch measures processor time. Waits for a disk, for a name or for a
/// processor take none, nor does the sleep of the machine: no honest call comes near the limit,
/// however long it lasts.
package final class CallWatch: Sendable {
    fileprivate struct State {
        /// The processor time of the watched thread; nil before the thread has begun.
        var clock: Clock.ProcessorTime?
        /// The calls that the thread is in; a callback may call libcurl again.
        var depth = 0
        /// The number of calls begun.
        var calls = 0
        /// The tag of the handle for which the present call has called back last.
        var handle: Int?
        /// The open sockets of the thread, each with the number of its connection.
        var sockets: [Int32: Int] = [:]
        /// The connections that were reset.
        var cut: Set<Int> = []
        /// What the watch found when it first saw the present call twice.
        var first: Look?
        var isAbandoned = false
    }

    /// The state of a call at one time.
    fileprivate struct Look {
        var call: Int
        /// The thread's processor time, nanoseconds.
        var time: Int64
        /// The bytes that the thread has read of each connection; nil until the call is suspect.
        var read: [Int: UInt64]?
    }

    /// What the watch finds.
    package enum Verdict: Sendable, Hashable {
        case fine
        /// The call goes on even without its connection. The thread will never return from it, and
        /// its handles must not be used; `handle` is the tag of the one that the call is for, nil
        /// if unknown.
        case isStuck(handle: Int?)
    }

    /// The processor time that a call may take, seconds: libcurl returns after 50 MB at most, for
    /// which a slow processor needs less than one.
    package static let limit: Int64 = 3

    private let state = Lock(State())

    /// Creates the watch of a thread.
    package init() {}

    // MARK: - On the watched thread

    /// Notes that this thread is the watched one.
    package func begin() { state.withLock { $0.clock = .ofThisThread } }

    /// Notes that a call begins; `endCall` follows.
    func beginCall() {
        state.withLock { state in
            state.depth += 1
            guard state.depth == 1 else { return }
            state.calls &+= 1
            state.handle = nil
        }
    }

    /// Notes that a call ends; does not return when the thread was abandoned meanwhile.
    func endCall() { go { $0.depth -= 1 } }

    /// Notes that libcurl calls back for a handle; does not return when the thread was abandoned
    /// meanwhile.
    func willCallBack(for handle: Int) { go { $0.handle = handle } }

    private func go(_ change: (inout State) -> Void) {
        let isAbandoned = state.withLock { state in
            change(&state)
            return state.isAbandoned
        }
        if isAbandoned { JoinableThread.park() }
    }

    func didOpen(_ socket: Int32, connection: Int) {
        state.withLock { $0.sockets[socket] = connection }
    }

    func willClose(_ socket: Int32) { state.withLock { $0.sockets[socket] = nil } }

    /// Whether the connection with that number was reset.
    func hasCut(_ connection: Int) -> Bool { state.withLock { $0.cut.contains(connection) } }

    // MARK: - On another thread

    /// Looks at the thread; to be called once a second, until a stuck thread is replaced.
    package func look() -> Verdict {
        state.withLock { state in
            if state.isAbandoned { return .isStuck(handle: state.handle) }
            guard state.depth > 0, let time = state.clock?.nanoseconds else {
                return .fine
            }
            guard let first = state.first, first.call == state.calls else {
                state.first = Look(call: state.calls, time: time)
                return .fine
            }
            let (used, limit) = (time - first.time, Self.limit * 1_000_000_000)
            if let read = first.read {
                if used > limit { state.reset(readSince: read) }
            } else if used > 0 {
                let read = state.readBytes
                state.first?.read = read
            }
            guard used > 2 * limit else { return .fine }
            state.isAbandoned = true
            return .isStuck(handle: state.handle)
        }
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

    /// Resets the connections that the present call has read.
    fileprivate mutating func reset(readSince earlier: [Int: UInt64]) {
        let now = readBytes
        for (socket, connection) in sockets where !cut.contains(connection) {
            guard let count = now[connection], count > earlier[connection] ?? 0 else { continue }
            SocketOptions.reset(socket)
            cut.insert(connection)
        }
    }
}
