internal import CCurl
internal import Glibc
package import SystemKit

/// The sockets of one thread's multi handles, watched by one epoll set with few system calls.
///
/// libcurl starts watching a connection with a request and stops at the end of the response. The
/// set keeps the connection between requests, so that reuse costs no call, and removes it only when
/// it becomes ready while idle, usually because it ends. For that the table must know when a
/// descriptor is reused: the easy handles report every opened or closed connection.
package final class SocketTable {
    private struct Entry {
        /// The events that the set watches for; nil when the socket is not in the set.
        var watched: EventPoll.Interest?
        /// The events that libcurl wants.
        var wanted: EventPoll.Interest?
        /// The multi handle that receives the set's events.
        var tag = 0
        /// The number of a connection, whose close is reported; 0 for other sockets, such as a
        /// resolver's, which vanish silently.
        var connection = 0
        /// How to guard its port after the close; nil for a connection that may use every
        /// interface.
        var manner: PortGuard.Manner?
        /// Whether `isKept` needs the state of the connection at its close.
        var remembersEnd = false
    }

    /// An opened connection; a later connection with the same descriptor is a different value.
    package struct Opening: Sendable {
        var socket: Int32
        fileprivate var connection: Int
    }

    /// Marks the events of `watchInput`; descriptors are far below this number.
    private static let inputTag: UInt64 = 1 << 63

    private let poll: EventPoll
    /// Ends calls that would not return; the table announces each call and each connection to it.
    let watch: CallWatch
    /// One entry for each descriptor, at its number.
    private var entries: [Entry] = []
    private var events: [EventPoll.Event] = []
    /// The number of opened connections.
    private var connections = 0
    /// The guards of closed connections whose peers may not know it yet.
    private var guards: [PortGuard] = []
    /// The last closed connection of `rememberEnd`, and whether its peer had kept it open.
    private var lastClosed: (connection: Int, wasKept: Bool)?
    /// The number of connecting handles.
    var connectingCount = 0
    /// The number of nested calls into libcurl.
    private var depth = 0
    /// When the outermost call began, nanoseconds of the monotonic clock.
    private var callStart: Int64 = 0
    /// The tags of the handles that `noteRestIfLong` has noted since the last `takeResting`.
    private var resting: [Int] = []

    /// How long one call may deliver a body before other transfers continue, nanoseconds.
    private static let turn: Int64 = 20_000_000

    /// Creates an empty table of the calling thread that waits with `poll`.
    package init(_ poll: EventPoll, watch: CallWatch = CallWatch()) {
        self.poll = poll
        self.watch = watch
        watch.begin()
    }

    // MARK: - Calls into libcurl

    /// Calls into libcurl, which may call back.
    func call<Result>(_ body: () -> Result) -> Result {
        if depth == 0 { callStart = Clock.monotonicNanoseconds() }
        depth += 1
        watch.beginCall()
        defer {
            watch.endCall()
            depth -= 1
        }
        return body()
    }

    /// Notes that a handle must pause its body, if the present call has delayed other transfers for
    /// too long; returns whether the handle must pause.
    func noteRestIfLong(of tag: Int) -> Bool {
        guard Clock.monotonicNanoseconds() - callStart > Self.turn else { return false }
        if resting.last != tag { resting.append(tag) }
        return true
    }

    /// Whether `takeResting` would return any handle.
    package var hasResting: Bool { !resting.isEmpty }

    /// Takes the tags of the handles with paused bodies; `EasyHandle.resume` continues each.
    package func takeResting() -> [Int] {
        if resting.isEmpty { return [] }
        defer { resting = [] }
        return resting
    }

    // MARK: - Waiting

    /// Waits for sockets and wake-ups, and calls `body` with each ready socket that is wanted.
    ///
    /// - Parameters:
    ///   - milliseconds: 0 returns immediately, a negative number waits without a limit.
    ///   - wake: Called when the wait is over, before any socket.
    ///   - body: Receives the multi handle's tag, the socket and its ready events.
    ///   - unwanted: Receives the tag and the socket of a ready connection for which libcurl does
    ///     not wait; true if a transfer may have read it.
    ///   - input: Receives the key of each ready descriptor of `watchInput`.
    /// - Returns: Whether there was any socket or wake-up.
    @discardableResult
    package func wait(
        milliseconds: Int32,
        wake: () -> Void,
        _ body: (_ tag: Int, _ socket: Int32, _ ready: EventPoll.Interest) -> Void,
        unwanted: (_ tag: Int, _ socket: Int32) -> Bool,
        input: (_ key: Int) -> Void
    ) -> Bool {
        let isWoken = poll.wait(milliseconds: milliseconds, into: &events)
        wake()
        for event in events {
            guard event.tag & Self.inputTag == 0 else {
                input(Int(truncatingIfNeeded: event.tag & ~Self.inputTag))
                continue
            }
            let socket = Int32(truncatingIfNeeded: event.tag)
            guard entries.indices.contains(Int(socket)) else { continue }
            let entry = entries[Int(socket)]
            guard entry.wanted == nil else {
                body(entry.tag, socket, event.ready)
                continue
            }
            // The set would report unread bytes again and again.
            let isRead = unwanted(entry.tag, socket) && SocketOptions.isSilent(socket)
            guard entries[Int(socket)].wanted == nil else { continue }
            if isRead { add(socket, for: .readable) } else { remove(socket) }
        }
        return isWoken || !events.isEmpty
    }

    /// Watches a socket for a multi handle; nil stops watching.
    func watch(_ socket: Int32, for interest: EventPoll.Interest?, tag: Int) {
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        let entry = entries[Int(socket)]
        entries[Int(socket)].wanted = interest
        entries[Int(socket)].tag = tag
        if let interest {
            add(socket, for: interest)
        } else if entry.connection == 0 {
            remove(socket)
        }
    }

    private func add(_ socket: Int32, for interest: EventPoll.Interest) {
        let entry = entries[Int(socket)]
        guard entry.watched != interest else { return }
        let eventTag = UInt64(UInt32(bitPattern: socket))
        entries[Int(socket)].watched = interest
        do throws(SystemError) {
            if entry.watched != nil {
                do throws(SystemError) {
                    try poll.change(socket, to: interest, tag: eventTag)
                    return
                } catch {
                    // The descriptor is a new socket: a closed one leaves the set automatically.
                }
            }
            try poll.watch(socket, for: interest, tag: eventTag)
        } catch {
            // Without watching, the transfer stalls until its idle timeout.
            entries[Int(socket)].watched = nil
        }
    }

    /// Watches a descriptor of another kind until it is ready or hung up.
    ///
    /// - Parameters:
    ///   - descriptor: A pipe or a process; reported repeatedly until `unwatchInput`.
    ///   - interest: The events to wait for.
    ///   - key: The argument of `wait`'s closure, 0 or more.
    /// - Throws: The error of epoll_ctl(2).
    package func watchInput(
        _ descriptor: Int32,
        for interest: EventPoll.Interest = .readable,
        key: Int
    ) throws(SystemError) {
        let tag = Self.inputTag | UInt64(truncatingIfNeeded: key)
        try poll.watch(descriptor, for: interest, tag: tag)
    }

    /// Watches a connection that libcurl opened and no longer watches, until it is closed.
    ///
    /// - Parameters:
    ///   - opening: The connection.
    ///   - interest: The events to wait for; an empty set stops watching.
    ///   - key: The argument of `wait`'s closure for inputs, 0 or more.
    /// - Throws: The error of epoll_ctl(2).
    func watchRaw(
        _ opening: Opening,
        for interest: EventPoll.Interest,
        key: Int
    ) throws(SystemError) {
        guard isOpen(opening) else { return }
        // libcurl stopped watching the socket once it was connected.
        remove(opening.socket)
        poll.unwatch(opening.socket)
        guard !interest.isEmpty else { return }
        let tag = Self.inputTag | UInt64(truncatingIfNeeded: key)
        try poll.watch(opening.socket, for: interest, tag: tag)
    }

    /// Stops watching the descriptor.
    package func unwatchInput(_ descriptor: Int32) {
        poll.unwatch(descriptor)
    }

    /// Registers an opened connection.
    ///
    /// - Parameters:
    ///   - socket: Its socket.
    ///   - manner: How to guard its port after the close; nil for a connection that may use every
    ///     interface.
    /// - Returns: The registered connection; nil for an invalid socket.
    func didOpen(_ socket: Int32, _ manner: PortGuard.Manner? = nil) -> Opening? {
        guard socket >= 0 else { return nil }
        makeRoom(for: socket)
        connections += 1
        entries[Int(socket)] = Entry(connection: connections, manner: manner)
        watch.didOpen(socket, connection: connections)
        return Opening(socket: socket, connection: connections)
    }

    /// The socket of an open connection from a local port; nil without one.
    func socket(from localPort: Int) -> Int32? {
        entries.indices.lazy.map { Int32($0) }.first { socket in
            entries[Int(socket)].connection > 0
                && SocketOptions.isSocket(socket, from: localPort)
        }
    }

    /// Whether the connection is still open.
    package func isOpen(_ opening: Opening) -> Bool {
        entries[Int(opening.socket)].connection == opening.connection
    }

    /// The open connection of a socket; nil without one.
    func opening(of socket: Int32) -> Opening? {
        guard entries.indices.contains(Int(socket)), entries[Int(socket)].connection > 0 else {
            return nil
        }
        return Opening(socket: socket, connection: entries[Int(socket)].connection)
    }

    /// Remembers the state of an open connection at its close, for `isKept`.
    func rememberEnd(of opening: Opening) {
        if isOpen(opening) { entries[Int(opening.socket)].remembersEnd = true }
    }

    /// Whether the peer keeps a connection of `rememberEnd` open, or kept it open until its close.
    ///
    /// Only the connection that was closed last is remembered.
    func isKept(_ opening: Opening) -> Bool {
        if isOpen(opening) { return ConnectionState(of: opening.socket)?.isEstablished == true }
        return lastClosed.map { $0.wasKept && $0.connection == opening.connection } ?? false
    }

    /// Ends the input of all connections: libcurl would wait for a file server's reply to its last
    /// command, which no transfer needs.
    package func stopReading() {
        for (socket, entry) in entries.enumerated() where entry.connection > 0 {
            shutdown(Int32(socket), Int32(SHUT_RD))
        }
    }

    /// Whether the watch has reset the connection, because a call would not have ended.
    package func hasCut(_ opening: Opening) -> Bool { watch.hasCut(opening.connection) }

    /// Closes a connection, which removes it from the set; returns the result of close(2).
    func close(_ socket: Int32) -> Int32 {
        watch.willClose(socket)
        var manner: PortGuard.Manner?
        if entries.indices.contains(Int(socket)) {
            let entry = entries[Int(socket)]
            manner = entry.manner
            if entry.remembersEnd {
                let wasKept = ConnectionState(of: socket)?.isEstablished == true
                lastClosed = (entry.connection, wasKept)
            }
            entries[Int(socket)] = Entry()
        }
        if let manner { return close(socket, manner) }
        return Glibc.close(socket)
    }

    private func close(_ socket: Int32, _ manner: PortGuard.Manner) -> Int32 {
        guard let state = ConnectionState(of: socket) else {
            guard SocketOptions.isDatagram(socket) else { return Glibc.close(socket) }
            poll.unwatch(socket)
            guards.append(PortGuard(ofDatagrams: socket))
            return 0
        }
        if let portGuard = PortGuard(of: socket, state, manner) { guards.append(portGuard) }
        if state.isToBeReset { SocketOptions.reset(socket) }
        return Glibc.close(socket)
    }

    /// Resets a connection without closing its socket; sends only one reset packet.
    func reset(_ opening: Opening) {
        if entries[Int(opening.socket)].manner != nil,
            let state = ConnectionState(of: opening.socket),
            let portGuard = PortGuard(of: opening.socket, state, .isSilent)
        {
            guards.append(portGuard)
        }
        SocketOptions.reset(opening.socket)
    }

    // MARK: - Connections that were closed

    /// The time of the next check by `releaseGuards`, in nanoseconds of the monotonic clock; nil
    /// for never.
    package var nextGuardCheck: Int64? {
        guards.isEmpty ? nil : guards.lazy.map(\.nextCheck).min()
    }

    /// Releases the ports of closed connections whose peers are quiet.
    package func releaseGuards() {
        guard !guards.isEmpty else { return }
        let now = Clock.monotonicNanoseconds()
        guards.removeAll { $0.isDone(at: now) }
    }

    /// Waits until the peers of all closed connections are quiet, at most five seconds.
    package func awaitQuiet() {
        while let next = nextGuardCheck {
            _ = Glibc.poll(nil, 0, Clock.milliseconds(until: next))
            releaseGuards()
        }
    }

    private func remove(_ socket: Int32) {
        guard entries[Int(socket)].watched != nil else { return }
        entries[Int(socket)].watched = nil
        poll.unwatch(socket)
    }

    private func makeRoom(for socket: Int32) {
        while entries.count <= Int(socket) { entries.append(Entry()) }
    }
}

/// The kernel's view of a connection's progress (`TCP_INFO`): received bytes that do not complete a
/// line or TLS record, and sent bytes that the peer has acknowledged.
package struct SocketProgress: Sendable, Hashable {
    /// The time since data last arrived.
    package var sinceReceived: Duration
    /// The time since the last acknowledgement, with or without data.
    package var sinceAcknowledged: Duration
    /// The bytes that the peer has acknowledged.
    package var acknowledgedBytes: UInt64

    /// Creates a reading of a connection's progress.
    package init(sinceReceived: Duration, sinceAcknowledged: Duration, acknowledgedBytes: UInt64) {
        self.sinceReceived = sinceReceived
        self.sinceAcknowledged = sinceAcknowledged
        self.acknowledgedBytes = acknowledgedBytes
    }
}

extension SocketTable {
    /// The progress of a connection; nil when it is closed or does not use TCP.
    package func progress(of opening: Opening) -> SocketProgress? {
        guard isOpen(opening) else { return nil }
        var facts = ccurl_socket_facts()
        guard unsafe ccurl_socket_progress(opening.socket, &facts) == 1 else { return nil }
        return SocketProgress(
            sinceReceived: .milliseconds(Int64(facts.since_received_ms)),
            sinceAcknowledged: .milliseconds(Int64(facts.since_acknowledged_ms)),
            acknowledgedBytes: facts.acknowledged
        )
    }
}
