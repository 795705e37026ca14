internal import CCurl
internal import Glibc

/// The options set on a socket before it connects, so that they apply to its first packet.
package struct SocketOptions: Sendable, Hashable {
    /// An interface that all packets must use.
    package struct Device: Sendable, Hashable {
        /// The kernel's number, which stays the same when names change.
        package var index: Int32
        /// The name when the options were made (`SO_BINDTODEVICE`).
        package var name: String

        /// Creates a device from the kernel's number and name.
        package init(index: Int32, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// nil for the interface of the routes.
    package var device: Device?
    /// The differentiated services code point (RFC 2474), 0 to 63.
    package var codePoint: UInt8 = 0
    /// SO_PRIORITY of socket(7), 0 to 6.
    package var priority: Int32 = 0
    /// Whether to use several paths (RFC 8684), where the kernel supports that.
    package var isMultipath = false

    /// Creates options that change nothing.
    package init() {}
}

/// The result of binding a socket to a device.
package enum SocketBinding: Sendable, Hashable {
    case bound
    /// The kernel's error (errno): EPERM without CAP_NET_RAW before Linux 5.7.
    case refused(errno: Int32)
}

extension SocketOptions {
    // From <netinet/in.h> and <linux/mptcp.h>, because older C libraries lack them.
    private static let multipathProtocol: Int32 = 262
    private static let multipathLevel: Int32 = 284
    private static let multipathInfo: Int32 = 1
    /// SO_BINDTOIFINDEX of `<asm-generic/socket.h>`.
    private static let bindToIndex: Int32 = 62

    /// Opens a socket for an address; negative on failure.
    func open(for address: curl_sockaddr) -> Int32 {
        if isMultipath, address.`protocol` == Int32(IPPROTO_TCP) {
            let several = Self.open(address, Self.multipathProtocol)
            // A plain socket, without Multipath TCP or where it accepts no mark, as over IPv6.
            if several >= 0 {
                if mark(several, of: address.family) { return several }
                close(several)
            }
        }
        let opened = Self.open(address, address.`protocol`)
        // Networks may change marks and no transfer needs them: ignore a refusal.
        if opened >= 0 { _ = mark(opened, of: address.family) }
        return opened
    }

    private static func open(_ address: curl_sockaddr, _ networkProtocol: Int32) -> Int32 {
        let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.family, type, networkProtocol)
    }

    /// Marks a socket's packets; false when the kernel refuses a mark.
    private func mark(_ opened: Int32, of family: Int32) -> Bool {
        var isMarked = true
        if codePoint > 0 {
            let trafficClass = Int32(codePoint) << 2
            isMarked = Self.set(opened, Int32(IPPROTO_IP), IP_TOS, trafficClass)
            if family == AF_INET6 {
                // The IPv4 option is for IPv4-mapped addresses.
                isMarked = Self.set(opened, Int32(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
            }
        }
        // After the code point, which changes the priority.
        if priority > 0, !Self.set(opened, SOL_SOCKET, SO_PRIORITY, priority) { return false }
        return isMarked
    }

    /// Binds a socket to the device; nil without a device.
    func bind(_ opened: Int32) -> SocketBinding? {
        guard let device else { return nil }
        // By number, because names may have been reassigned; Linux before 5.0 accepts names only.
        if Self.set(opened, SOL_SOCKET, Self.bindToIndex, device.index) { return .bound }
        guard errno == ENOPROTOOPT else { return .refused(errno: errno) }
        let code = unsafe setsockopt(
            opened,
            SOL_SOCKET,
            SO_BINDTODEVICE,
            device.name,
            socklen_t(device.name.utf8.count)
        )
        guard code == 0 else { return .refused(errno: errno) }
        return unsafe if_nametoindex(device.name) == UInt32(bitPattern: device.index)
            ? .bound : .refused(errno: ENODEV)
    }

    /// Whether this user may bind sockets to interfaces: without CAP_NET_RAW from Linux 5.7 on.
    package static var mayBind: Bool {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        let loopback = unsafe if_nametoindex("lo")
        return bind(opened, toInterface: Int32(bitPattern: loopback))
    }

    /// Binds a socket to an interface by number; false when the kernel refuses.
    static func bind(_ opened: Int32, toInterface index: Int32) -> Bool {
        if set(opened, SOL_SOCKET, bindToIndex, index) { return true }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE) + 1)
        guard unsafe if_indextoname(UInt32(bitPattern: index), &name) != nil else { return false }
        let size = socklen_t(IF_NAMESIZE)
        return unsafe setsockopt(opened, SOL_SOCKET, SO_BINDTODEVICE, &name, size) == 0
    }

    @discardableResult
    static func set(_ opened: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe setsockopt(opened, level, option, &value, size) == 0
    }

    /// Whether a socket's peer also uses Multipath TCP; otherwise it has fallen back to plain TCP.
    static func isMultipath(_ opened: Int32) -> Bool {
        // struct mptcp_info is smaller but may grow.
        var info = [UInt8](repeating: 0, count: 256)
        var size = socklen_t(info.count)
        return unsafe getsockopt(opened, multipathLevel, multipathInfo, &info, &size) == 0
    }

    /// The number of the interface that a socket is bound to; 0 for none.
    static func boundInterface(_ opened: Int32) -> Int32 {
        var index: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if unsafe getsockopt(opened, SOL_SOCKET, bindToIndex, &index, &size) == 0 { return index }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE) + 1)
        size = socklen_t(name.count - 1)
        guard unsafe getsockopt(opened, SOL_SOCKET, SO_BINDTODEVICE, &name, &size) == 0,
            name[0] != 0
        else { return 0 }
        return Int32(bitPattern: unsafe if_nametoindex(name))
    }

    /// Resets a socket's connection.
    static func reset(_ opened: Int32) {
        // connect(2): an address of family AF_UNSPEC dissolves the connection.
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        _ = unsafe connect(opened, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Whether a socket has nothing to read: no byte, no end and no error.
    static func isSilent(_ opened: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(opened, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count < 0 && (errno == EAGAIN || errno == EINTR)
    }

    /// Whether a socket sends datagrams.
    static func isDatagram(_ opened: Int32) -> Bool {
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(opened, SOL_SOCKET, SO_TYPE, &type, &size) == 0
            && type == Int32(SOCK_DGRAM.rawValue)
    }

    /// Whether a descriptor is the socket of a connection from a local port.
    static func isSocket(_ opened: Int32, from localPort: Int) -> Bool {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port: UInt16? = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress,
                unsafe getsockname(opened, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            // In both IP versions the port follows the family.
            return unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
        return port.map(Int.init) == localPort
    }
}
