internal import CSystem
internal import Glibc

/// A socket that talks with a part of the kernel (netlink(7)); it needs no privilege.
///
/// Whoever asks waits for the answer before somebody else does. What its messages mean is for
/// others to say.
package final class NetlinkSocket: Sendable {
    /// Whom it talks with, by the number of `NETLINK_…`.
    package enum Part: Int32, Sendable {
        /// Interfaces, addresses and routes (rtnetlink(7)).
        case routes = 0
        /// Devices that come, go and change (uevent).
        case devices = 15
        /// Those that have no number of their own (generic netlink).
        case generic = 16
    }

    /// What the kernel tells without being asked, by the bits of `RTMGRP_…`.
    package struct Groups: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let links = Groups(rawValue: 0x1)
        package static let addresses = Groups(rawValue: 0x10 | 0x100)
        package static let routes = Groups(rawValue: 0x40 | 0x400)
        /// All that the part `devices` has to tell.
        package static let changes = Groups(rawValue: 0x1)
    }

    /// Watched by an `EventPoll` for being readable.
    package let descriptor: Int32
    /// What the kernel puts into one datagram of a dump is less.
    private static let largestDatagram = 64 << 10

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - part: Whom it talks with.
    ///   - groups: What it hears of besides answers.
    /// - Throws: What socket(2) and bind(2) say.
    package init(with part: Part = .routes, hearing groups: Groups = []) throws(SystemError) {
        descriptor = csystem_netlink(part.rawValue, groups.rawValue)
        guard descriptor >= 0 else { throw .last("open", "a netlink socket") }
    }

    deinit { close(descriptor) }

    /// Sends one message.
    ///
    /// - Throws: What send(2) says.
    package func send(_ message: [UInt8]) throws(SystemError) {
        guard unsafe Glibc.send(descriptor, message, message.count, 0) == message.count else {
            throw .last("ask", "the kernel over netlink")
        }
    }

    /// Waits for the next datagram of the kernel, up to two seconds, and hands it to `body`.
    ///
    /// - Throws: What recv(2) says: `EAGAIN` when nothing came, `ENOBUFS` when something was lost.
    package func receive<Result>(_ body: (Span<UInt8>) -> Result) throws(SystemError) -> Result {
        while true {
            var error: Int32 = 0
            // Most datagrams are far smaller than the room for them.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.largestDatagram) {
                let room = UInt64(Self.largestDatagram)
                let count = unsafe csystem_netlink_receive(descriptor, $0.baseAddress, room, 1)
                error = count < 0 ? errno : 0
                $1 = max(0, Int(count))
            }
            if !bytes.isEmpty { return body(bytes.span) }
            if error != 0, error != EINTR {
                throw SystemError(
                    errno: error,
                    operation: "hear",
                    subject: "the kernel over netlink"
                )
            }
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
