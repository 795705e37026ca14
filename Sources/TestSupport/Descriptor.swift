import Glibc
package import SystemKit

/// An open file descriptor, closed when released.
package final class Descriptor: Sendable {
    /// The kernel's number, valid until this object is released.
    package let number: Int32

    /// Takes over a call's result, or throws its `errno` for a negative result.
    init(_ operation: String, _ subject: String, _ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw .last(operation, subject) }
        number = result
    }

    deinit {
        close(number)
    }

    /// Both ends of a new pipe; children do not get them, since `Command` closes all others.
    package static func pipe() throws(SystemError) -> (read: Descriptor, write: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .last("make", "a pipe") }
        return (
            try Descriptor("make", "a pipe", ends[0]), try Descriptor("make", "a pipe", ends[1])
        )
    }

    /// The next bytes, at most 64 KiB; empty at the end of the stream, nil on an error.
    package func read() -> [UInt8]? {
        let capacity = 65_536
        var count = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            repeat {
                count = unsafe Glibc.read(number, buffer.baseAddress, capacity)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        return count < 0 ? nil : bytes
    }

    /// Writes all bytes; for a blocking descriptor.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(number, buffer.baseAddress, buffer.count)
            }
            guard count > 0 || errno == EINTR else { throw .last("write", "descriptor \(number)") }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// A descriptor and the events to wait for.
struct Readiness {
    var descriptor: Descriptor
    var events: Int32

    static func readable(_ descriptor: Descriptor) -> Readiness {
        Readiness(descriptor: descriptor, events: POLLIN)
    }

    static func writable(_ descriptor: Descriptor) -> Readiness {
        Readiness(descriptor: descriptor, events: POLLOUT)
    }

    /// The peer has finished sending or is gone.
    static func abandoned(_ descriptor: Descriptor) -> Readiness {
        Readiness(descriptor: descriptor, events: 0x2000)  // POLLRDHUP, hidden behind _GNU_SOURCE
    }

    /// Waits until one is ready, in error or hung up, and returns its index; nil at the deadline.
    static func wait(for candidates: [Readiness], until deadline: Deadline) -> Int? {
        var entries = candidates.map {
            pollfd(fd: $0.descriptor.number, events: Int16($0.events), revents: 0)
        }
        while true {
            let count = unsafe poll(&entries, nfds_t(entries.count), deadline.remainingMilliseconds)
            if count > 0 { return entries.firstIndex { $0.revents != 0 } }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}
