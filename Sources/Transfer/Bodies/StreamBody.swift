internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A request body from a pipe: a program's output or the content of a named pipe.
///
/// Reading never waits: without data, the transfer pauses until the engine's epoll set reports
/// some. A program runs again for each request. A named pipe can be read once, so it is opened only
/// when a request asks for its body.
final class StreamBody: RequestBody {
    enum Source {
        case command([String], folder: String)
        /// An absolute path.
        case pipe(path: String)
    }

    private let source: Source
    private let sockets: SocketTable
    private let errors: ErrorRelay
    /// The key of its events in `sockets`.
    private let key: Int
    private var process: ChildProcess?
    private var pipe: PipeReader?
    private var errorStream: ErrorStream?
    /// Whether the pipe was ready once: before a writer opens it, a named pipe looks like one at
    /// its end.
    private var hasBegun = false
    /// Whether some of the body was passed on.
    private var isTouched = false
    /// The watched descriptor.
    private var awaited: Int32?

    /// How long to wait for the end of a program that has closed its output, where the kernel does
    /// not report the end.
    private static let longestWait: Int64 = 1_000_000_000

    /// Starts the program, or checks that the pipe exists.
    ///
    /// - Parameters:
    ///   - source: The source of the bytes.
    ///   - sockets: The table that watches descriptors.
    ///   - errors: Passes on a program's standard error.
    ///   - key: The attempt's key for `sockets`.
    /// - Throws: The error of starting or checking.
    init(_ source: Source, sockets: SocketTable, errors: ErrorRelay, key: Int) throws(SystemError) {
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
        case .pipe(let path): "no program wrote to the pipe `\(path)`"
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

    var isReady: Bool { awaited.map(EventPoll.isReady) ?? true }

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
                detail: "the request must be sent again, but its body can be read only once"
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

    /// Checks that the program has not failed; a running one may still be writing.
    func verify() throws(TransferFailure) {
        guard let status = process?.wait(until: 0), let outcome = Self.failure(of: status) else {
            return
        }
        throw brokenOff(outcome)
    }

    /// Ends the program; its remaining standard error is still passed on.
    func close() {
        unwatch()
        process?.kill()
        errorStream?.close()
        (process, pipe, errorStream) = (nil, nil, nil)
    }

    /// Starts the program; kills a running one.
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

    /// Handles the end of the pipe, which ends the body only if the program succeeds.
    private func end() throws(TransferFailure) -> BodyRead {
        guard let process else { return .bytes(0) }
        let isAnnounced = process.endDescriptor >= 0
        let limit = isAnnounced ? 0 : Clock.monotonicNanoseconds() + Self.longestWait
        if let status = process.wait(until: limit) {
            if let outcome = Self.failure(of: status) { throw brokenOff(outcome) }
            return .bytes(0)
        }
        guard isAnnounced else { throw brokenOff("closed its output but did not exit") }
        do throws(SystemError) {
            return try wait(for: process.endDescriptor)
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
    }

    /// Why a program's end is a failure; nil for success.
    private static func failure(of status: ChildProcess.Status) -> String? {
        switch status {
        case .exited(0): nil
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal)"
        }
    }

    private func brokenOff(_ outcome: String) -> TransferFailure {
        var name = ""
        if case .command(let arguments, _) = source { name = arguments.first ?? "" }
        var failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "the command `\(name)` \(outcome); the request was aborted"
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
