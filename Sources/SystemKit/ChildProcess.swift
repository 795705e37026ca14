internal import CSystem
internal import Glibc

/// A program that runs as a child process, without a shell, in its own process group.
///
/// Its standard input is empty, or `input` writes it; `output` and `error` read its output. It
/// inherits no open files.
/// The last release of this object kills the program without waiting for its end. Thread-safe.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum Status: Sendable, Hashable {
        /// The program exited with this status, 0 to 255.
        case exited(Int32)
        /// The program was ended by this signal.
        case killed(signal: Int32)

        /// Whether the program succeeded.
        package var isSuccess: Bool { self == .exited(0) }

        /// Reads the status of waitpid(2).
        init(_ code: Int32) {
            let signal = code & 0x7F
            self = signal == 0 ? .exited((code >> 8) & 0xFF) : .killed(signal: signal)
        }
    }

    /// The program's standard input; nil when it is empty.
    package let input: PipeWriter?
    /// The program's standard output.
    package let output: PipeReader
    /// The program's standard error.
    package let error: PipeReader
    private let process: pid_t
    /// Becomes readable when the program ends, for an `EventPoll`; negative where the kernel has no
    /// such descriptor.
    package let endDescriptor: Int32
    /// Nil until the end was collected: before that no other process can have its number.
    private let status = Lock<Status?>(nil)

    /// Killed programs whose end is not collected yet: each start and each end of a program tries
    /// again.
    ///
    /// A program that sleeps in the kernel may end late, and no caller can wait so long.
    private static let killed = Lock<[pid_t]>([])

    /// How often to check for the end where no descriptor announces it, milliseconds.
    static let lookInterval: Int32 = 10

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, as a path relative to `folder` or a name to look up in `PATH`;
    ///     then its arguments.
    ///   - folder: The absolute path of the program's working folder.
    ///   - environment: The program's environment; nil for that of this process.
    ///   - hasInput: Whether `input` writes the program's standard input.
    /// - Throws: The error of posix_spawn(3), such as `ENOENT`; `EINVAL` for a NUL character.
    package init(
        _ arguments: [String],
        in folder: String,
        environment: [String: String]? = nil,
        hasInput: Bool = false
    ) throws(SystemError) {
        Self.reapKilled()
        let variables = environment.map { variables in
            variables.map { "\($0.key)=\($0.value)" }.sorted()
        }
        guard let name = arguments.first,
            !(arguments + [folder] + (variables ?? [])).contains(where: Self.hasNUL)
        else {
            throw SystemError(errno: EINVAL, operation: "start", subject: "a program")
        }
        let (output, outputWriter) = try PipeReader.pipe("the output of \(name)")
        defer { close(outputWriter) }
        let (error, errorWriter) = try PipeReader.pipe("the standard error of \(name)")
        defer { close(errorWriter) }
        let input = hasInput ? try PipeWriter.pipe("the input of \(name)") : nil
        let inputReader = input?.reader ?? -1
        defer { if inputReader >= 0 { close(inputReader) } }

        var process = pid_t()
        let code = unsafe Self.withTexts(arguments) { arguments in
            guard let variables else {
                return unsafe csystem_spawn(
                    arguments,
                    nil,
                    folder,
                    inputReader,
                    outputWriter,
                    errorWriter,
                    &process
                )
            }
            return unsafe Self.withTexts(variables) { variables in
                unsafe csystem_spawn(
                    arguments,
                    variables,
                    folder,
                    inputReader,
                    outputWriter,
                    errorWriter,
                    &process
                )
            }
        }
        guard code == 0 else { throw SystemError(errno: code, operation: "start", subject: name) }
        self.input = input?.writer
        self.output = output
        self.error = error
        self.process = process
        endDescriptor = csystem_pidfd(process)
    }

    deinit {
        kill()
        if reap() == nil { Self.killed.withLock { $0.append(process) } }
        Self.reapKilled()
        if endDescriptor >= 0 { close(endDescriptor) }
    }

    /// Kills the program and its process group (SIGKILL), unless its end was collected.
    ///
    /// Programs that it started and that left the group continue.
    package func kill() {
        status.withLock { status in
            guard status == nil else { return }
            _ = Glibc.kill(-process, SIGKILL)
            // The program may have left its group.
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// Whether the program has ended.
    ///
    /// Does not collect its end, so that `kill` still reaches the programs of its process group.
    package var hasEnded: Bool {
        status.withLock { $0 != nil || csystem_has_ended(process) }
    }

    /// Waits for the program's end without collecting it, until `deadline`, a reading of
    /// `CLOCK_MONOTONIC` in nanoseconds.
    ///
    /// - Returns: Whether the program has ended.
    package func awaitEnd(until deadline: Int64) -> Bool {
        while !hasEnded {
            let left = Clock.milliseconds(until: deadline)
            if left == 0 { return false }
            let time = endDescriptor >= 0 ? left : min(left, Self.lookInterval)
            var end = pollfd(fd: endDescriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&end, 1, time)
        }
        return true
    }

    /// Waits for the program's end until `deadline`, a reading of `CLOCK_MONOTONIC` in nanoseconds;
    /// nil waits for ever.
    ///
    /// - Returns: Nil when it still runs at the deadline.
    package func wait(until deadline: Int64?) -> Status? {
        while true {
            if let status = reap() { return status }
            let left = Clock.milliseconds(until: deadline)
            if left == 0 { return nil }
            let isAnnounced = endDescriptor >= 0
            let time = left < 0 ? Self.lookInterval : min(left, Self.lookInterval)
            var end = pollfd(fd: endDescriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&end, 1, isAnnounced ? left : time)
        }
    }

    /// The program's status, if it has ended.
    private func reap() -> Status? {
        status.withLock { status in
            guard status == nil else { return status }
            var code: Int32 = 0
            let found = unsafe waitpid(process, &code, WNOHANG)
            if found == process {
                status = Status(code)
            } else if found < 0, errno != EINTR {
                // Another caller collected the end, so the status is lost.
                status = .exited(-1)
            }
            return status
        }
    }

    private static func reapKilled() {
        killed.withLock { $0.removeAll { waitpid($0, nil, WNOHANG) != 0 } }
    }

    private static func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }

    /// Calls `body` with a NULL-ended array of C strings.
    static func withTexts(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        unsafe copies.forEach { if let copy = unsafe $0 { unsafe csystem_restore(copy) } }
        return unsafe (copies + [nil]).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return EINVAL }
            return unsafe body(start)
        }
    }
}
