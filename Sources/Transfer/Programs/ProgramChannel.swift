internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The standard input and output of a running program that serves a custom scheme.
///
/// Its output ends when the program has ended, so that `ending` can report how. Programs that it
/// started and that still hold the output do not count.
final class ProgramChannel: ConversationChannel {
    private let process: ChildProcess
    private let errorStream: ErrorStream
    private let sockets: SocketTable
    private let key: Int
    private unowned let roster: RunningPrograms
    /// The watched descriptors.
    private var watched: Set<Int32> = []
    private var hasOutputEnded = false
    private var isInputClosed = false
    /// nil while the program runs.
    private var status: ChildProcess.Status?

    /// How long to wait for the end of a program that has closed its output, where the kernel does
    /// not announce the end; nanoseconds.
    private static let longestWait: Int64 = 100_000_000

    init(
        _ process: ChildProcess,
        _ errorStream: ErrorStream,
        _ sockets: SocketTable,
        key: Int,
        of roster: RunningPrograms
    ) {
        self.process = process
        self.errorStream = errorStream
        self.sockets = sockets
        self.key = key
        self.roster = roster
    }

    /// How the program ended, in words.
    var ending: String {
        switch status {
        case nil: "closed its output"
        case .exited(0): "ended"
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal)"
        }
    }

    func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int {
        guard let input = process.input, !isInputClosed else { return bytes.count }
        do throws(SystemError) {
            switch try input.write(bytes) {
            case .bytes(let count): return count
            case .full: return 0
            case .closed:
                // A program may answer without its whole input; the rest of the input is dropped.
                closeInput()
                return bytes.count
            }
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
    }

    func read(into buffer: inout [UInt8]) throws(TransferFailure) -> RawConnection.Received {
        guard !hasOutputEnded else { return receivedAtEnd() }
        do throws(SystemError) {
            var found = try process.output.read(into: &buffer)
            if found == .nothingYet {
                guard process.hasEnded else { return .nothing }
                // All that it wrote before its end has arrived by now.
                found = try process.output.read(into: &buffer)
            }
            if case .bytes(let count) = found { return .bytes(count) }
            hasOutputEnded = true
            unwatch(process.output.descriptor)
            return receivedAtEnd()
        } catch {
            throw TransferFailure(reading: error, phase: .receive)
        }
    }

    /// The end of the output, once the program itself has ended.
    private func receivedAtEnd() -> RawConnection.Received {
        if status != nil { return .end }
        if process.endDescriptor < 0 {
            _ = process.awaitEnd(until: Clock.monotonicNanoseconds() + Self.longestWait)
        }
        guard process.hasEnded || process.endDescriptor < 0 else { return .nothing }
        // Before the end is collected: programs of its group may have outlived it.
        process.kill()
        status = process.wait(until: Clock.monotonicNanoseconds() + Self.longestWait)
        return .end
    }

    func watch(_ interest: EventPoll.Interest) throws(SystemError) {
        let isReading = interest.contains(.readable)
        try set(process.output.descriptor, for: .readable, isReading && !hasOutputEnded)
        if process.endDescriptor >= 0 {
            try set(process.endDescriptor, for: .readable, isReading && status == nil)
        }
        guard let input = process.input, !isInputClosed else { return }
        try set(input.descriptor, for: .writable, interest.contains(.writable))
    }

    private func set(
        _ descriptor: Int32,
        for interest: EventPoll.Interest,
        _ isWanted: Bool
    ) throws(SystemError) {
        guard isWanted else { return unwatch(descriptor) }
        guard watched.insert(descriptor).inserted else { return }
        try sockets.watchInput(descriptor, for: interest, key: key)
    }

    private func unwatch(_ descriptor: Int32) {
        if watched.remove(descriptor) != nil { sockets.unwatchInput(descriptor) }
    }

    func shutDownSending() { closeInput() }

    private func closeInput() {
        guard let input = process.input, !isInputClosed else { return }
        isInputClosed = true
        unwatch(input.descriptor)
        input.end()
    }

    /// Leaves the program to the roster, which kills it when it does not end by itself.
    func close(saying farewell: [UInt8]) {
        if !farewell.isEmpty, !isInputClosed { _ = try? process.input?.write(farewell.span) }
        closeInput()
        for descriptor in watched { sockets.unwatchInput(descriptor) }
        watched = []
        errorStream.close()
        if status == nil { roster.leave(process) }
    }
}
