internal import CSystem
internal import Glibc

/// Finds out by trying what the kernel allows this process.
package struct KernelProbe: Sendable, Hashable {
    /// Such as `6.1.0-31-amd64`.
    package let release: String
    /// Whether an IPv6 socket can be created.
    package let hasIPv6: Bool
    /// Whether a multipath socket can be created (`IPPROTO_MPTCP`).
    package let hasMultipath: Bool
    /// Whether this user may bind a socket to an interface (`SO_BINDTODEVICE`).
    package let canBindToDevice: Bool
    /// Whether the kernel has descriptors for the end of a child process (pidfd_open(2)).
    package let hasProcessDescriptors: Bool

    /// Asks the kernel; sends nothing.
    package init() {
        var name = utsname()
        release =
            unsafe uname(&name) == 0
            ? unsafe withUnsafeBytes(of: name.release) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            } : "unknown"
        hasIPv6 = Self.canMakeSocket(AF_INET6)
        // The number in <netinet/in.h>, which older C libraries lack.
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
