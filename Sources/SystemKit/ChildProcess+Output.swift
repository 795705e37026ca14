internal import Glibc

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
            let count = unsafe poll(&descriptors, nfds_t(descriptors.count), left)
            if count > 0 { return descriptors.firstIndex { $0.revents != 0 } }
            if count == 0, left == 0 { return nil }
        }
    }
}
