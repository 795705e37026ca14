internal import CSystem
internal import Glibc

/// The write end of a pipe; writing never waits.
package final class PipeWriter: Sendable {
    /// The result of one write.
    package enum Written: Sendable, Hashable {
        /// The number of bytes that the pipe took, at least 1.
        case bytes(Int)
        /// The pipe is full; the descriptor becomes writable when that changes.
        case full
        /// No process can read the pipe any more.
        case closed
    }

    /// For an `EventPoll`; closed by `end` or with this object.
    package let descriptor: Int32
    private let name: String
    private let isOpen = Lock(true)

    /// Takes the descriptor over; `name` is for errors.
    private init(taking descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { end() }

    /// Closes the pipe, so that its reader finds its end.
    package func end() {
        isOpen.withLock { isOpen in
            if isOpen { close(descriptor) }
            isOpen = false
        }
    }

    /// A pipe that no program inherits; its read end blocks as usual and belongs to the caller.
    static func pipe(_ name: String) throws(SystemError) -> (reader: Int32, writer: PipeWriter) {
        var ends: [Int32] = [0, 0]
        guard unsafe csystem_pipe(&ends) == 0 else { throw .last("create", "a pipe") }
        let writer = PipeWriter(taking: ends[1], name: name)
        guard fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else {
            let error = SystemError.last("create", "a pipe")
            close(ends[0])
            throw error
        }
        return (ends[0], writer)
    }

    /// Writes the beginning of some bytes, of which there is at least one.
    ///
    /// The process must ignore SIGPIPE (`ProcessContext.ignoreWriteSignals`).
    ///
    /// - Throws: The error of write(2), except for a full pipe and for a pipe without a reader.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) -> Written {
        guard isOpen.withLock({ $0 }) else { return .closed }
        while true {
            let descriptor = descriptor
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return .bytes(count) }
            if Glibc.errno == EAGAIN { return .full }
            if Glibc.errno == EPIPE { return .closed }
            if Glibc.errno != EINTR { throw .last("write", name) }
        }
    }
}
