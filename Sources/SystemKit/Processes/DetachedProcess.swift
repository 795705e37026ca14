internal import CSystem
internal import Glibc

/// A program that outlives this process: in its own session, without a terminal.
///
/// Its standard input is empty and its output goes to a file. It inherits the environment, the
/// working folder, and one open file: a pipe by which it reports its progress.
package final class DetachedProcess {
    /// The descriptor of the pipe in the program.
    package static let pipeDescriptor: Int32 = 3

    /// Its process identifier.
    package let identifier: Int32
    private let pipe: PipeReader

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, as a path or a name to look up in `PATH`; then its arguments.
    ///   - folder: The folder of the log file.
    ///   - log: The name of the log file, which is created for its owner only.
    /// - Throws: The errors of open(2) and posix_spawn(3); `EINVAL` for a NUL character.
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
        let (pipe, writer) = try PipeReader.pipe("the messages of \(name)")
        defer { close(writer) }
        var process = pid_t()
        let code = unsafe ChildProcess.withTexts(arguments) { texts in
            unsafe csystem_spawn_detached(texts, output, writer, &process)
        }
        guard code == 0 else { throw SystemError(errno: code, operation: "start", subject: name) }
        self.pipe = pipe
        identifier = process
    }

    /// Waits for the next report; nil when the program has ended or closed the pipe.
    package func next() throws(SystemError) -> [UInt8]? {
        while true {
            guard let bytes = try pipe.next(atMost: 4096) else { return nil }
            if !bytes.isEmpty { return bytes }
            var descriptor = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&descriptor, 1, -1)
        }
    }

    /// Waits until the program reports or closes the pipe.
    ///
    /// - Parameter deadline: In nanoseconds of the monotonic clock.
    /// - Returns: Whether that happened in time.
    package func speaks(until deadline: Int64) -> Bool {
        while true {
            var descriptor = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&descriptor, 1, Clock.milliseconds(until: deadline))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// Kills the program; call `wait` afterwards.
    package func end() { kill(identifier, SIGKILL) }

    /// Waits for the program's end; call it once.
    package func wait() -> ChildProcess.Status {
        var code: Int32 = 0
        while unsafe waitpid(identifier, &code, 0) < 0 {
            // Another thread collected the end, so the status is lost.
            guard errno == EINTR else { return .exited(-1) }
        }
        return ChildProcess.Status(code)
    }
}

/// The pipe by which a program started by `DetachedProcess` reports its progress.
package struct ReadyPipe {
    private let descriptor: Int32

    /// Adopts the pipe, which programs started from here do not inherit.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Writes a report; false when no process reads the pipe any more.
    package func say(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
    }

    /// Closes the pipe.
    package func end() { close(descriptor) }
}
