internal import CSystem
internal import Glibc

/// A socket to a part of the kernel (netlink(7)); needs no privilege.
///
/// Callers must take turns: each waits for its answer before the next request. Other types
/// interpret the messages.
package final class NetlinkSocket: Sendable {
    /// A netlink family, by the number of `NETLINK_…`.
    package enum Part: Int32, Sendable {
        /// Interfaces, addresses and routes (rtnetlink(7)).
        case routes = 0
        /// Added, removed and changed devices (uevent).
        case devices = 15
        /// Families without a fixed number (generic netlink).
        case generic = 16
    }

    /// Groups of unsolicited messages, by the bits of `RTMGRP_…`.
    package struct Groups: OptionSet, Sendable, Hashable {
        /// The bits of the groups for bind(2).
        package let rawValue: UInt32
        /// Creates a set from its bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Added, removed and changed interfaces (`RTMGRP_LINK`).
        package static let links = Groups(rawValue: 0x1)
        /// Changes of IPv4 and IPv6 addresses (`RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV6_IFADDR`).
        package static let addresses = Groups(rawValue: 0x10 | 0x100)
        /// Changes of IPv4 and IPv6 routes (`RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_ROUTE`).
        package static let routes = Groups(rawValue: 0x40 | 0x400)
        /// All messages of `devices`.
        package static let changes = Groups(rawValue: 0x1)
    }

    /// For an `EventPoll`, which watches it for being readable.
    package let descriptor: Int32
    /// More than the kernel puts into one datagram of a dump.
    private static let largestDatagram = 64 << 10

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - part: The netlink family.
    ///   - groups: The unsolicited messages to receive.
    /// - Throws: The errors of socket(2) and bind(2).
    package init(with part: Part = .routes, hearing groups: Groups = []) throws(SystemError) {
        descriptor = csystem_netlink(part.rawValue, groups.rawValue)
        guard descriptor >= 0 else { throw .last("open", "a netlink socket") }
    }

    deinit { close(descriptor) }

    /// Sends one message.
    ///
    /// - Throws: The error of send(2).
    package func send(_ message: [UInt8]) throws(SystemError) {
        guard unsafe Glibc.send(descriptor, message, message.count, 0) == message.count else {
            throw .last("ask", "the kernel over netlink")
        }
    }

    /// Waits up to two seconds for the kernel's next datagram and passes it to `body`.
    ///
    /// - Throws: The error of recv(2): `EAGAIN` without a datagram, `ENOBUFS` for lost ones.
    package func receive<Result>(_ body: (Span<UInt8>) -> Result) throws(SystemError) -> Result {
        while true {
            var error: Int32 = 0
            // Most datagrams are far smaller than the buffer.
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

    /// Discards all received messages and loss errors.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 1)
        while true {
            let count = unsafe csystem_netlink_receive(descriptor, &buffer, UInt64(buffer.count), 0)
            // The kernel reports lost messages once, by an error.
            if count < 0, errno != EINTR, errno != ENOBUFS { return }
        }
    }
}
