internal import CSystem
internal import Glibc

/// A program that goes on when this one ends: in a session of its own, without a terminal.
///
/// Its standard input is empty, what it writes goes to a file. It gets the environment and the
/// working folder of this process, and of its open files one more, a pipe by which it says how far
/// it has come.
package final class DetachedProcess {
    /// The number under which the program has the pipe.
    package static let pipeDescriptor: Int32 = 3

    /// Its number.
    package let identifier: Int32
    private let pipe: PipeReader

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: At least one: a path, or a name that is looked up in `PATH`; then what it
    ///     gets.
    ///   - folder: Where its file is.
    ///   - log: The name of the file that it writes to, which is made, for its owner alone.
    /// - Throws: What open(2) and posix_spawn(3) say; `EINVAL` for a NUL character.
    package init(_ arguments: [String], in folder: Folder, log: String) throws(SystemError) {
        guard let name = arguments.first, !arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw SystemError(errno: EINVAL, operation: "start", subject: "a program")
        }
        let output = unsafe csystem_openat(
            folder.descriptor,
            log,
            O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
            0o600
        )
        guard output >= 0 else { throw .last("open", folder.path(of: log)) }
        defer { close(output) }
        let (pipe, writer) = try PipeReader.pipe("what \(name) says")
        defer { close(writer) }
        var process = pid_t()
        let code = unsafe ChildProcess.withTexts(arguments) { texts in
            unsafe csystem_spawn_detached(texts, output, writer, &process)
        }
        guard code == 0 else { throw SystemError(errno: code, operation: "start", subject: name) }
        self.pipe = pipe
        identifier = process
    }

    /// Waits for what it says next; nil when it has no more to say, because it has ended or closed
    /// the pipe.
    package func next() throws(SystemError) -> [UInt8]? {
        while true {
            guard let bytes = try pipe.next(atMost: 4096) else { return nil }
            if !bytes.isEmpty { return bytes }
            var descriptor = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&descriptor, 1, -1)
        }
    }

    /// Waits until it says something or has no more to say.
    ///
    /// - Parameter deadline: In nanoseconds of the monotonic clock.
    /// - Returns: Whether it did so in time.
    package func speaks(until deadline: Int64) -> Bool {
        while true {
            var descriptor = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&descriptor, 1, Clock.milliseconds(until: deadline))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// Ends it at once; `wait` is still to be called.
    package func end() { kill(identifier, SIGKILL) }

    /// Waits for its end; to be called once.
    package func wait() -> ChildProcess.Status {
        var code: Int32 = 0
        while unsafe waitpid(identifier, &code, 0) < 0 {
            // Somebody else waited for it: how it ended is not known any more.
            guard errno == EINTR else { return .exited(-1) }
        }
        return ChildProcess.Status(code)
    }
}

/// How a program that was started by `DetachedProcess` says how far it has come.
package struct ReadyPipe {
    private let descriptor: Int32

    /// Takes the pipe over, which no program that is started from here gets.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Says something; false when nobody listens any more.
    package func say(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
    }

    /// Has nothing more to say.
    package func end() { close(descriptor) }
}
