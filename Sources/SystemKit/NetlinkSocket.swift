internal import CSystem
internal import Glibc

/// A socket that talks with the kernel about its network (rtnetlink(7)); it needs no privilege.
///
/// Whoever asks waits for the answer before somebody else does. What its messages mean is for others to say.
package final class NetlinkSocket: Sendable {
    /// What the kernel tells without being asked, by the bits of `RTMGRP_…`.
    package struct Groups: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let links = Groups(rawValue: 0x1)
        package static let addresses = Groups(rawValue: 0x10 | 0x100)
        package static let routes = Groups(rawValue: 0x40 | 0x400)
    }

    /// Watched by an `EventPoll` for being readable.
    package let descriptor: Int32
    /// What the kernel puts into one datagram of a dump is less.
    private static let largestDatagram = 64 << 10

    /// Opens the socket.
    ///
    /// - Parameter groups: What it hears of besides answers.
    /// - Throws: What socket(2) and bind(2) say.
    package init(hearing groups: Groups = []) throws(SystemError) {
        descriptor = csystem_netlink(groups.rawValue)
        guard descriptor >= 0 else { throw .last("open", "a netlink socket") }
    }

    deinit { close(descriptor) }

    /// Sends one message.
    ///
    /// - Throws: What send(2) says.
    package func send(_ message: [UInt8]) throws(SystemError) {
        guard unsafe Glibc.send(descriptor, message, message.count, 0) == message.count else {
            throw .last("ask", "the kernel about its network")
        }
    }

    /// Waits for the next datagram of the kernel, up to two seconds, and hands it to `body`.
    ///
    /// - Throws: What recv(2) says: `EAGAIN` when nothing came, `ENOBUFS` when something was lost.
    package func receive<Result>(_ body: (Span<UInt8>) -> Result) throws(SystemError) -> Result {
        var buffer = [UInt8](repeating: 0, count: Self.largestDatagram)
        while true {
            let count = unsafe csystem_netlink_receive(descriptor, &buffer, UInt64(buffer.count), 1)
            if count > 0 { return body(buffer.span.extracting(first: Int(count))) }
            if count < 0, errno != EINTR { throw .last("hear", "of the kernel's network") }
        }
    }

    /// Throws away what has come, read or lost.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 1)
        while true {
            let count = unsafe csystem_netlink_receive(descriptor, &buffer, UInt64(buffer.count), 0)
            // What was lost is told once, by an error.
            if count < 0, errno != EINTR, errno != ENOBUFS { return }
        }
    }
}
