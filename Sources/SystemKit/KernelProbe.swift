internal import CSystem
internal import Glibc

/// What the running kernel lets this process do, found out by doing it.
package struct KernelProbe: Sendable, Hashable {
    /// Such as `6.1.0-31-amd64`.
    package let release: String
    /// Whether a socket of IPv6 can be made.
    package let hasIPv6: Bool
    /// Whether a multipath socket can be made (`IPPROTO_MPTCP`).
    package let hasMultipath: Bool
    /// Whether this user may bind a socket to an interface (`SO_BINDTODEVICE`).
    package let canBindToDevice: Bool
    /// Whether the end of a child process can be waited for together with other things
    /// (pidfd_open(2)).
    package let hasProcessDescriptors: Bool

    /// Asks the kernel; nothing is sent.
    package init() {
        var name = utsname()
        release =
            unsafe uname(&name) == 0
            ? unsafe withUnsafeBytes(of: name.release) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            } : "unknown"
        hasIPv6 = Self.canMakeSocket(AF_INET6)
        // From <netinet/in.h>, where older C libraries do not have it.
        hasMultipath = Self.canMakeSocket(AF_INET, 262)
        canBindToDevice = Self.canMakeSocket(AF_INET) { socket in
            unsafe setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) == 0
        }
        let process = csystem_pidfd(getpid())
        hasProcessDescriptors = process >= 0
        if process >= 0 { close(process) }
    }

    private static func canMakeSocket(
        _ family: Int32,
        _ networkProtocol: Int32 = 0,
        and test: (Int32) -> Bool = { _ in true }
    ) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, networkProtocol)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return test(descriptor)
    }
}
