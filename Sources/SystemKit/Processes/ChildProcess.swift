internal import CSystem
internal import Glibc

/// A program that runs as a child process, without a shell, in its own process group.
///
/// Its standard input is empty or a file, or `input` writes it; `output` and `error` read its
/// output. It inherits no open files.
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

    /// Writes the program's standard input; nil when that is empty or a file.
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
    ///   - file: The standard input otherwise, from its first byte; nil for an empty one.
    /// - Throws: The error of posix_spawn(3), such as `ENOENT`; `EINVAL` for a NUL character.
    package init(
        _ arguments: [String],
        in folder: String,
        environment: [String: String]? = nil,
        hasInput: Bool = false,
        reading file: InputFile? = nil
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
        defer { if let input { close(input.reader) } }
        file?.rewind()
        let inputReader = input?.reader ?? file?.descriptor ?? -1

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

extension ChildProcess {
    /// The result of waiting for a program's whole output.
    package enum Outcome: Sendable, Hashable {
        case ended(Status)
        /// At the deadline the program still ran, or a program that it started still held its
        /// output.
        case timedOut
        /// The program wrote more to its standard output than the limit.
        case tooMuchOutput
    }

    /// The output of a program until its end.
    package struct Captured: Sendable {
        /// How the program ended.
        package var outcome: Outcome
        /// The standard output, up to the limit.
        package var output: [UInt8] = []
        /// The beginning of its standard error.
        package var error: [UInt8] = []
        /// Whether the standard error was longer than that.
        package var isErrorCut = false
    }

    /// How much of the standard error is kept, bytes; the rest is read and dropped.
    private static let keptErrorBytes = 16 * 1024

    /// Reads all output of the program and waits for its end; kills a program that does not end in
    /// time.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of standard output.
    ///   - deadline: A reading of `CLOCK_MONOTONIC` in nanoseconds.
    /// - Returns: The output, and how the program ended.
    /// - Throws: The error of read(2).
    package func capture(limit: Int, until deadline: Int64) throws(SystemError) -> Captured {
        var captured = Captured(outcome: .timedOut)
        var open = [output, error]
        while !open.isEmpty {
            guard let ready = Self.wait(for: open, until: deadline) else {
                kill()
                return captured
            }
            let isOutput = open[ready] === output
            // One byte more than the limit shows that there is too much.
            let room = isOutput ? limit + 1 - captured.output.count : Self.keptErrorBytes
            guard let bytes = try open[ready].next(atMost: min(room, 16 << 10)) else {
                open.remove(at: ready)
                continue
            }
            if isOutput {
                captured.output += bytes
                guard captured.output.count <= limit else {
                    kill()
                    captured.outcome = .tooMuchOutput
                    return captured
                }
            } else {
                let kept = bytes.prefix(Self.keptErrorBytes - captured.error.count)
                captured.error += kept
                captured.isErrorCut = captured.isErrorCut || kept.count < bytes.count
            }
        }
        guard let status = wait(until: deadline) else {
            kill()
            return captured
        }
        captured.outcome = .ended(status)
        return captured
    }

    /// Passes on the program's output from both streams and waits for its end; kills a program that
    /// does not end in time.
    ///
    /// Does not wait for output of programs that it started and that outlive it.
    ///
    /// - Parameters:
    ///   - deadline: A reading of `CLOCK_MONOTONIC` in nanoseconds.
    ///   - take: Receives the bytes in pieces, and whether they come from standard error.
    /// - Returns: How the program ended.
    /// - Throws: The error of read(2).
    package func relay(
        until deadline: Int64,
        _ take: (_ bytes: [UInt8], _ isError: Bool) -> Void
    ) throws(SystemError) -> Outcome {
        var open = [output, error]
        while true {
            let status = wait(until: 0)
            for pipe in open where try !Self.drain(pipe, { take($0, pipe === error) }) {
                open.removeAll { $0 === pipe }
            }
            if let status { return .ended(status) }
            let left = Clock.milliseconds(until: deadline)
            guard left > 0 else {
                kill()
                return .timedOut
            }
            var descriptors = (open.map(\.descriptor) + [endDescriptor]).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let time = endDescriptor >= 0 ? left : min(left, Self.lookInterval)
            unsafe poll(&descriptors, nfds_t(descriptors.count), time)
        }
    }

    /// How many pieces are passed on between looks at the clock: more than a pipe holds, but a
    /// limit for programs that never stop writing.
    private static let piecesAtOnce = 16

    /// Passes on the bytes in the pipe, or many of them; false when all writers have closed it.
    private static func drain(
        _ pipe: PipeReader,
        _ take: ([UInt8]) -> Void
    ) throws(SystemError) -> Bool {
        for _ in 0..<piecesAtOnce {
            guard let bytes = try pipe.next(atMost: 16 << 10) else { return false }
            if bytes.isEmpty { break }
            take(bytes)
        }
        return true
    }

    /// The index of a pipe that can be read without waiting; nil at the deadline.
    private static func wait(for pipes: [PipeReader], until deadline: Int64) -> Int? {
        var descriptors = pipes.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while true {
            let left = Clock.milliseconds(until: deadline)
            // A program that never stops writing has a limit, too.
            if left == 0 { return nil }
            let count = unsafe poll(&descriptors, nfds_t(descriptors.count), left)
            if count > 0 { return descriptors.firstIndex { $0.revents != 0 } }
        }
    }
}
