internal import CSystem
internal import Glibc

/// The read end of a pipe; reading never waits.
package final class PipeReader: Sendable {
    /// The result of one read.
    package enum Read: Sendable, Hashable {
        /// The number of bytes, at least 1.
        case bytes(Int)
        /// No bytes yet; the descriptor becomes readable when that changes.
        case nothingYet
        /// All writers have closed the pipe.
        case end
    }

    /// For an `EventPoll`; closed with this object.
    package let descriptor: Int32
    private let name: String

    /// Takes the descriptor over; `name` is for errors.
    init(taking descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a named pipe without waiting for a writer.
    ///
    /// Until a writer opens it, a read says `end`, and the descriptor is not readable.
    ///
    /// - Throws: The error of open(2); `EINVAL` for anything but a named pipe.
    package convenience init(fifo path: String) throws(SystemError) {
        let descriptor = unsafe csystem_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .last("open", path) }
        self.init(taking: descriptor, name: path)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            throw .notPipe(path)
        }
    }

    deinit { close(descriptor) }

    /// A pipe that no program inherits; its write end blocks as usual and belongs to the caller.
    static func pipe(_ name: String) throws(SystemError) -> (reader: PipeReader, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe csystem_pipe(&ends) == 0 else { throw .last("create", "a pipe") }
        let reader = PipeReader(taking: ends[0], name: name)
        guard fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else {
            let error = SystemError.last("create", "a pipe")
            close(ends[1])
            throw error
        }
        return (reader, ends[1])
    }

    /// Reads available bytes into `buffer`, which must not be empty.
    package func read(into buffer: inout MutableRawSpan) throws(SystemError) -> Read {
        while true {
            let descriptor = descriptor
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if Glibc.errno == EAGAIN { return .nothingYet }
            if Glibc.errno != EINTR { throw .last("read", name) }
        }
    }

    /// Reads available bytes into an array, which must not be empty.
    package func read(into buffer: inout [UInt8]) throws(SystemError) -> Read {
        var span = buffer.mutableSpan
        var raw = unsafe span.mutableBytes
        return try read(into: &raw)
    }

    /// Reads the next bytes, 1 to `count`; empty when there are none yet, nil at the end.
    package func next(atMost count: Int) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        switch try read(into: &raw) {
        case .bytes(let count): return Array(bytes[..<count])
        case .nothingYet: return []
        case .end: return nil
        }
    }
}

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
