internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A request body that comes out of a pipe: what a program writes, or what others put into a named
/// pipe.
///
/// Never waits: when there is nothing to read, the transfer pauses until the engine's epoll set
/// says that there is. A program is run anew for each request. A named pipe can be read once: it is
/// opened when a request asks for its body, so that an attempt that does not get so far leaves it
/// alone.
final class StreamBody: RequestBody {
    enum Source {
        case command([String], folder: String)
        /// An absolute path.
        case pipe(path: String)
    }

    private let source: Source
    private let sockets: SocketTable
    private let errors: ErrorRelay
    /// What the set's events say.
    private let key: Int
    private var process: ChildProcess?
    private var pipe: PipeReader?
    private var errorStream: ErrorStream?
    /// Whether the pipe was found ready: a named one that nobody has opened for writing yet looks
    /// like one at its end.
    private var hasBegun = false
    /// Whether some of it was handed out.
    private var isTouched = false
    /// The descriptor that the set watches.
    private var awaited: Int32?

    /// How long the end of a program that has closed its output may be waited for where no kernel
    /// announces it.
    private static let longestWait: Int64 = 1_000_000_000

    /// Starts the program, or looks whether there is a pipe.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - sockets: What watches descriptors.
    ///   - errors: What hands on a program's standard error.
    ///   - key: The attempt's number, with which `sockets` calls back.
    /// - Throws: What starting or looking says.
    init(
        _ source: Source,
        sockets: SocketTable,
        errors: ErrorRelay,
        key: Int
    ) throws(SystemError) {
        self.source = source
        self.sockets = sockets
        self.errors = errors
        self.key = key
        switch source {
        case .command: try start()
        case .pipe(let path):
            guard try InputFile.kind(of: path) == .pipe else { throw .notPipe(path) }
        }
    }

    deinit { unwatch() }

    var size: Int64? { nil }

    var silence: String? {
        guard awaited != nil else { return nil }
        return switch source {
        case .command(let arguments, _): "the command `\(arguments.first ?? "")` wrote nothing"
        case .pipe(let path): "nobody wrote into the pipe `\(path)`"
        }
    }

    var isSpent: Bool {
        if case .pipe = source { pipe != nil } else { false }
    }

    func read(into buffer: inout MutableRawSpan) throws(TransferFailure) -> BodyRead {
        do throws(SystemError) {
            let pipe = try openPipe()
            guard hasBegun else { return try wait(for: pipe.descriptor) }
            switch try pipe.read(into: &buffer) {
            case .bytes(let count):
                isTouched = true
                return .bytes(count)
            case .nothingYet: return try wait(for: pipe.descriptor)
            case .end: isTouched = true
            }
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
        return try end()
    }

    func wake() {
        unwatch()
        hasBegun = true
    }

    func rewind() throws(TransferFailure) {
        guard isTouched else { return }
        guard !isSpent else {
            var failure = TransferFailure(
                kind: .localIO,
                phase: .send,
                detail: "the body is needed a second time"
            )
            failure.urlError = .requestBodyStreamExhausted
            throw failure
        }
        guard case .command = source else { return }
        unwatch()
        do throws(SystemError) {
            try start()
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
    }

    /// Whether the program has not failed; one that still runs may be in the middle of what it
    /// writes.
    func verify() throws(TransferFailure) {
        guard let status = process?.wait(until: 0), let outcome = Self.failure(of: status) else {
            return
        }
        throw brokenOff(outcome)
    }

    /// Ends the program, whose standard error is told of to its end.
    func close() {
        unwatch()
        process?.kill()
        errorStream?.close()
        (process, pipe, errorStream) = (nil, nil, nil)
    }

    /// Runs the program; one that still runs is killed.
    private func start() throws(SystemError) {
        guard case .command(let arguments, let folder) = source else { return }
        close()
        let process = try ChildProcess(arguments, in: folder)
        self.process = process
        pipe = process.output
        errorStream = try errors.add(process.error, key: key)
        hasBegun = false
        isTouched = false
    }

    private func openPipe() throws(SystemError) -> PipeReader {
        if let pipe { return pipe }
        guard case .pipe(let path) = source else { throw .notPipe("the output of a program") }
        let opened = try PipeReader(fifo: path)
        pipe = opened
        return opened
    }

    /// The end of the pipe, which is that of the body only when the program says that all went
    /// well.
    private func end() throws(TransferFailure) -> BodyRead {
        guard let process else { return .bytes(0) }
        let isAnnounced = process.endDescriptor >= 0
        let limit = isAnnounced ? 0 : Clock.monotonicNanoseconds() + Self.longestWait
        if let status = process.wait(until: limit) {
            if let outcome = Self.failure(of: status) { throw brokenOff(outcome) }
            return .bytes(0)
        }
        guard isAnnounced else { throw brokenOff("has closed its output and does not end") }
        do throws(SystemError) {
            return try wait(for: process.endDescriptor)
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
    }

    /// What is wrong with a program that ended like this; nil when nothing is.
    private static func failure(of status: ChildProcess.Status) -> String? {
        switch status {
        case .exited(0): nil
        case .exited(let status): "has ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal)"
        }
    }

    private func brokenOff(_ outcome: String) -> TransferFailure {
        var name = ""
        if case .command(let arguments, _) = source { name = arguments.first ?? "" }
        var failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "the command `\(name)` \(outcome); the request was broken off"
        )
        failure.urlError = .requestBodyStreamExhausted
        return failure
    }

    private func wait(for descriptor: Int32) throws(SystemError) -> BodyRead {
        if awaited == nil {
            try sockets.watchInput(descriptor, key: key)
            awaited = descriptor
        }
        return .paused
    }

    private func unwatch() {
        if let awaited { sockets.unwatchInput(awaited) }
        awaited = nil
    }
}

extension TransferFailure {
    /// Says that no other attempt follows, where one could have.
    mutating func explainSpentBody() {
        isPermanent = true
        switch kind {
        case .timeout, .stalled, .reset, .truncated, .protocolViolation, .httpStatus, .localIO,
            .network:
            detail += "; not repeated, because a pipe can be read once"
        default: break
        }
    }
}
