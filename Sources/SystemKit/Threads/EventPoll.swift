internal import CSystem
internal import Glibc

/// Waits for many sockets and for a wake-up from other threads, with epoll and eventfd.
///
/// Only `WakeUp.signal` may be called from other threads than the one that made the poll.
package final class EventPoll {
    /// The events that a descriptor is watched for, or that happened.
    package struct Interest: OptionSet, Sendable, Hashable {
        /// One bit for each event.
        package let rawValue: UInt8
        /// Creates a set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The descriptor has bytes or a connection to take, or its end was reached.
        package static let readable = Interest(rawValue: 1)
        /// The descriptor takes bytes, or its connect has ended.
        package static let writable = Interest(rawValue: 2)
        /// An error or a hang-up; reported whether asked for or not.
        package static let failed = Interest(rawValue: 4)
    }

    /// One descriptor that is ready.
    package struct Event: Sendable, Hashable {
        /// The number that the descriptor was registered with.
        package var tag: UInt64
        /// The events that happened, including unrequested ones.
        package var ready: Interest
    }

    /// The part for other threads: it ends the wait from any thread.
    ///
    /// It opens every descriptor that the poll needs, so that making the poll cannot fail.
    package final class WakeUp: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let set: Int32

        /// Opens the descriptors; throws the error of eventfd(2), epoll_create1(2) or epoll_ctl(2).
        package init() throws(SystemError) {
            descriptor = csystem_eventfd()
            guard descriptor >= 0 else { throw .last("create", "an eventfd") }
            set = csystem_epoll_create()
            // From here on deinit closes the open descriptors.
            guard set >= 0 else { throw .last("create", "an epoll set") }
            let code = csystem_epoll_add(set, descriptor, csystem_readable, EventPoll.wakeUpTag)
            guard code == 0 else { throw .last("watch", "an eventfd") }
        }

        deinit {
            close(descriptor)
            close(set)
        }

        /// Makes the current or the next `wait` return.
        package func signal() {
            csystem_eventfd_signal(descriptor)
        }

        fileprivate func drain() {
            csystem_eventfd_drain(descriptor)
        }
    }

    private let wakeUp: WakeUp
    private var buffer = [csystem_event](repeating: csystem_event(), count: Int(CSYSTEM_EVENTS))
    fileprivate static let wakeUpTag = UInt64.max

    /// Makes the only poll of `wakeUp`.
    package init(_ wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    private var descriptor: Int32 { wakeUp.set }

    /// Starts watching a descriptor; `tag` comes back with its events and must not be `UInt64.max`.
    package func watch(_ socket: Int32, for interest: Interest, tag: UInt64) throws(SystemError) {
        try check(csystem_epoll_add(descriptor, socket, interest.events, tag), socket)
    }

    /// Changes the events that a descriptor is watched for.
    package func change(_ socket: Int32, to interest: Interest, tag: UInt64) throws(SystemError) {
        try check(csystem_epoll_modify(descriptor, socket, interest.events, tag), socket)
    }

    /// Stops watching; a descriptor that is closed already is left alone.
    package func unwatch(_ socket: Int32) {
        csystem_epoll_delete(descriptor, socket)
    }

    /// Waits for a ready descriptor, a wake-up or the end of the time, and fills `events`.
    ///
    /// - Parameters:
    ///   - milliseconds: 0 returns immediately, a negative number waits without a limit.
    ///   - events: Emptied first; does not include the wake-up.
    /// - Returns: Whether a wake-up came.
    @discardableResult
    package func wait(milliseconds: Int32, into events: inout [Event]) -> Bool {
        events.removeAll(keepingCapacity: true)
        let count = unsafe csystem_epoll_wait(descriptor, &buffer, milliseconds)
        guard count > 0 else { return false }
        var isWoken = false
        for event in buffer[..<Int(count)] {
            if event.tag == Self.wakeUpTag {
                wakeUp.drain()
                isWoken = true
                continue
            }
            var ready: Interest = []
            if event.events & csystem_readable != 0 { ready.insert(.readable) }
            if event.events & csystem_writable != 0 { ready.insert(.writable) }
            if event.events & csystem_failed != 0 { ready.insert(.failed) }
            events.append(Event(tag: event.tag, ready: ready))
        }
        return isWoken
    }

    /// Whether a descriptor is readable or hung up at this moment.
    package static func isReady(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    private func check(_ code: Int32, _ socket: Int32) throws(SystemError) {
        guard code == 0 else { throw .last("watch", "descriptor \(socket)") }
    }
}

extension EventPoll.Interest {
    /// The event bits of epoll.
    fileprivate var events: UInt32 {
        (contains(.readable) ? csystem_readable : 0) | (contains(.writable) ? csystem_writable : 0)
    }
}
