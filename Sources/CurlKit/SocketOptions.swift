internal import CCurl
internal import Glibc

/// What a socket is told before it connects, so that its first packet has it.
package struct SocketOptions: Sendable, Hashable {
    /// The interface that all packets leave by (SO_BINDTODEVICE); nil for the one that the routes name.
    package var device: String?
    /// The differentiated services code point (RFC 2474), 0 to 63.
    package var codePoint: UInt8 = 0
    /// SO_PRIORITY of socket(7), 0 to 6.
    package var priority: Int32 = 0
    /// Whether it is to be one of several paths (RFC 8684), where the kernel has that.
    package var isMultipath = false

    package init() {}
}

/// What became of binding a socket to a device.
package enum SocketBinding: Sendable, Hashable {
    case bound
    /// The kernel's reason, an errno value: without CAP_NET_RAW before Linux 5.7 it is EPERM.
    case refused(errno: Int32)
}

extension SocketOptions {
    // From <netinet/in.h> and <linux/mptcp.h>, where older C libraries do not have them.
    private static let multipathProtocol: Int32 = 262
    private static let multipathLevel: Int32 = 284
    private static let multipathInfo: Int32 = 1

    /// Opens a socket for an address; negative when there is none to be had.
    func open(for address: curl_sockaddr) -> Int32 {
        let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
        var opened: Int32 = -1
        if isMultipath, address.`protocol` == Int32(IPPROTO_TCP) {
            opened = socket(address.family, type, Self.multipathProtocol)
        }
        if opened < 0 { opened = socket(address.family, type, address.`protocol`) }
        guard opened >= 0 else { return opened }
        if codePoint > 0 {
            // Networks may change it, and no transfer depends on it: what is refused is left out.
            let trafficClass = Int32(codePoint) << 2
            Self.set(opened, Int32(IPPROTO_IP), IP_TOS, trafficClass)
            if address.family == AF_INET6 {
                Self.set(opened, Int32(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
            }
        }
        // Behind the code point, which sets another one.
        if priority > 0 { Self.set(opened, SOL_SOCKET, SO_PRIORITY, priority) }
        return opened
    }

    /// Binds a socket to a device; nil when there is none to bind it to.
    func bind(_ opened: Int32) -> SocketBinding? {
        guard let device else { return nil }
        let code = unsafe setsockopt(
            opened,
            SOL_SOCKET,
            SO_BINDTODEVICE,
            device,
            socklen_t(device.utf8.count)
        )
        return code == 0 ? .bound : .refused(errno: errno)
    }

    private static func set(_ opened: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe _ = setsockopt(opened, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether the socket of a connection from that port is one whose other end speaks Multipath TCP too; otherwise it is
    /// plain TCP by now.
    static func isMultipath(_ opened: Int32, localPort: Int) -> Bool {
        // struct mptcp_info is smaller, and grows.
        var info = [UInt8](repeating: 0, count: 256)
        var size = socklen_t(info.count)
        guard unsafe getsockopt(opened, multipathLevel, multipathInfo, &info, &size) == 0 else {
            return false
        }
        // The number may belong to another socket by now.
        var address = sockaddr_storage()
        size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port: UInt16? = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress,
                unsafe getsockname(opened, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            // Of both versions it stands behind the family.
            return unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
        return port.map(Int.init) == localPort
    }
}
