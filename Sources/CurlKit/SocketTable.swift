internal import Glibc
package import SystemKit

/// The sockets of all multi handles of one thread, watched by one epoll set with as few calls as
/// possible.
///
/// libcurl wants a connection watched when a request begins, and not any more when its response has
/// ended. A connection stays in the set between two requests, so that a reused one costs no call;
/// only when an idle one has something to say, its end most often, is it taken out. That needs to
/// know when a socket's number becomes another one's: the easy handles tell of every connection
/// that is opened or closed.
package final class SocketTable {
    private struct Entry {
        /// What the set watches it for; nil when it is not in the set.
        var watched: EventPoll.Interest?
        /// What libcurl wants to hear of.
        var wanted: EventPoll.Interest?
        /// The multi handle that the set's events are for.
        var tag = 0
        /// Which connection it is, and that its end is told; 0 for other sockets, such as those of
        /// a resolver, which just go.
        var connection = 0
        /// What guards its port when it is closed; nil for a connection that may use every
        /// interface.
        var manner: PortGuard.Manner?
    }

    /// A connection that was opened, whatever its socket's number becomes.
    package struct Opening: Sendable {
        var socket: Int32
        fileprivate var connection: Int
    }

    /// Marks the events of `watchInput`; sockets are far below.
    private static let inputTag: UInt64 = 1 << 63

    private let poll: EventPoll
    /// By descriptor.
    private var entries: [Entry] = []
    private var events: [EventPoll.Event] = []
    /// How many connections were opened.
    private var connections = 0
    /// Of the connections that were closed, and whose peers may not know it yet.
    private var guards: [PortGuard] = []
    /// How many handles are connecting.
    var connectingCount = 0

    package init(_ poll: EventPoll) {
        self.poll = poll
    }

    /// Waits for sockets and wake-ups, and calls `body` with each socket that somebody waits for.
    ///
    /// - Parameters:
    ///   - milliseconds: 0 returns at once, a negative number waits without end.
    ///   - wake: Called when the wait is over, before any socket.
    ///   - body: Gets the multi handle's tag, the socket and what it is ready for.
    ///   - input: Gets the key of each descriptor of `watchInput` that is ready.
    /// - Returns: Whether there was any socket or wake-up.
    @discardableResult
    package func wait(
        milliseconds: Int32,
        wake: () -> Void,
        _ body: (_ tag: Int, _ socket: Int32, _ ready: EventPoll.Interest) -> Void,
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
            if entries[Int(socket)].wanted == nil {
                remove(socket)
            } else {
                body(entries[Int(socket)].tag, socket, event.ready)
            }
        }
        return isWoken || !events.isEmpty
    }

    /// Watches a socket for a multi handle; nil means that nobody waits for it any longer.
    func watch(_ socket: Int32, for interest: EventPoll.Interest?, tag: Int) {
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        let entry = entries[Int(socket)]
        entries[Int(socket)].wanted = interest
        entries[Int(socket)].tag = tag
        guard let interest else {
            if entry.connection == 0 { remove(socket) }
            return
        }
        guard entry.watched != interest else { return }
        let eventTag = UInt64(UInt32(bitPattern: socket))
        entries[Int(socket)].watched = interest
        do throws(SystemError) {
            if entry.watched != nil {
                do throws(SystemError) {
                    try poll.change(socket, to: interest, tag: eventTag)
                    return
                } catch {
                    // The number belongs to another socket by now: a closed one leaves the set by
                    // itself.
                }
            }
            try poll.watch(socket, for: interest, tag: eventTag)
        } catch {
            // Not watched, the transfer stays silent and its idle time ends it.
            entries[Int(socket)].watched = nil
        }
    }

    /// Watches something that is no connection until it can be read or has nobody at its other end.
    ///
    /// - Parameters:
    ///   - descriptor: Of a pipe or a process; told again and again until `unwatchInput`.
    ///   - key: What `wait` calls its closure with, 0 or more.
    /// - Throws: The error of epoll_ctl(2).
    package func watchInput(_ descriptor: Int32, key: Int) throws(SystemError) {
        let tag = Self.inputTag | UInt64(truncatingIfNeeded: key)
        try poll.watch(descriptor, for: .readable, tag: tag)
    }

    /// Watches it no longer.
    package func unwatchInput(_ descriptor: Int32) {
        poll.unwatch(descriptor)
    }

    /// Takes in a connection that was opened.
    ///
    /// - Parameters:
    ///   - socket: Its socket.
    ///   - manner: What guards its port when it is closed; nil for a connection that may use every
    ///     interface.
    /// - Returns: What it is known by; nil when there is none.
    func didOpen(_ socket: Int32, _ manner: PortGuard.Manner? = nil) -> Opening? {
        guard socket >= 0 else { return nil }
        makeRoom(for: socket)
        connections += 1
        entries[Int(socket)] = Entry(connection: connections, manner: manner)
        return Opening(socket: socket, connection: connections)
    }

    /// Whether the connection has not been closed.
    package func isOpen(_ opening: Opening) -> Bool {
        entries[Int(opening.socket)].connection == opening.connection
    }

    /// Closes a connection, which takes it out of the set; the result is of close(2).
    func close(_ socket: Int32) -> Int32 {
        var manner: PortGuard.Manner?
        if entries.indices.contains(Int(socket)) {
            manner = entries[Int(socket)].manner
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

    /// Ends a connection at once, without closing its socket; nothing but one reset is sent.
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

    /// When `releaseGuards` has something to do, in nanoseconds of the monotonic clock; nil for
    /// never.
    package var nextGuardCheck: Int64? {
        guards.isEmpty ? nil : guards.lazy.map(\.nextCheck).min()
    }

    /// Gives up the ports of the connections whose peers are quiet.
    package func releaseGuards() {
        guard !guards.isEmpty else { return }
        let now = Clock.monotonicNanoseconds()
        guards.removeAll { $0.isDone(at: now) }
    }

    /// Waits until the peers of all connections that were closed are quiet, at most five seconds.
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
