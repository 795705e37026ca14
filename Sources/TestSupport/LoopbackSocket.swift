import Glibc
import SystemKit

/// TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    /// A socket bound to the given or a free port that does not listen, so that connects fail.
    static func bound(to port: UInt16 = 0) throws(SystemError) -> (socket: Descriptor, port: UInt16)
    {
        let socket = try make(flags: Int32(SOCK_NONBLOCK.rawValue))
        var address = address(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket.number, $0, size)
            }
        }
        guard result == 0 else { throw .last("bind", "a socket") }
        return (socket, try Self.port(of: socket))
    }

    /// A listening socket on a free port.
    static func listening(backlog: Int32 = 512) throws(SystemError) -> (
        socket: Descriptor, port: UInt16
    ) {
        let (socket, port) = try bound()
        guard Glibc.listen(socket.number, backlog) == 0 else { throw .last("listen", "at \(port)") }
        return (socket, port)
    }

    /// A socket whose connection to the port is established or, for nonblocking sockets, started.
    static func connecting(to port: UInt16, isBlocking: Bool) throws(SystemError) -> Descriptor {
        let socket = try make(flags: isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        var address = address(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket.number, $0, size)
            }
        }
        guard result == 0 || errno == EINPROGRESS else { throw .last("connect", "to \(port)") }
        return socket
    }

    /// Accepts the next connection, nonblocking and without delay of small writes.
    static func accept(from listener: Descriptor) throws(SystemError) -> Descriptor {
        let socket = try Descriptor(
            "accept",
            "a connection",
            Glibc.accept(listener.number, nil, nil)
        )
        guard fcntl(socket.number, F_SETFL, O_NONBLOCK) == 0 else {
            throw .last("unblock", "a socket")
        }
        var on: Int32 = 1
        unsafe setsockopt(
            socket.number,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
        return socket
    }

    /// Sends all bytes; calls `wait` when the socket takes no more at once.
    static func send(
        _ bytes: [UInt8],
        to socket: Descriptor,
        wait: () throws -> Void
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    socket.number,
                    buffer.baseAddress,
                    buffer.count,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait()
            } else if errno != EINTR {
                throw SystemError.last("send to", "a socket")
            }
        }
    }

    /// Ends the sending direction; the peer can still read everything sent.
    static func endSending(_ socket: Descriptor) {
        shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Makes closing the socket a reset: unsent bytes are lost and the peer gets an error.
    static func closeWillReset(_ socket: Descriptor) {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &option, size)
    }

    private static func make(flags: Int32 = 0) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
        return try Descriptor("make", "a socket", Glibc.socket(AF_INET, type, 0))
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func port(of socket: Descriptor) throws(SystemError) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket.number, $0, &size)
            }
        }
        guard result == 0 else { throw .last("find", "a port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
