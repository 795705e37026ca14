internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Starts the programs that serve custom schemes, on one engine thread, and sees to it that they
/// end.
///
/// A program whose exchange has ended gets a second to end by itself. Then it is killed, with its
/// process group.
final class RunningPrograms {
    private let sockets: SocketTable
    private let errors: ErrorRelay
    /// The programs whose exchange has ended, in the order of their deadlines.
    private var leaving: [(process: ChildProcess, deadline: MonotonicTime)] = []

    private static let grace = Duration.seconds(1)
    /// Each holds a few descriptors.
    private static let mostLeaving = 64

    init(_ sockets: SocketTable, _ errors: ErrorRelay) {
        self.sockets = sockets
        self.errors = errors
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - key: The attempt that it serves.
    /// - Returns: Its input and output, to be closed when the exchange ends.
    /// - Throws: The error of starting it, such as `ENOENT`.
    func start(_ program: ProtocolProgram, key: Int) throws(SystemError) -> ProgramChannel {
        let process = try ChildProcess(
            program.command,
            in: program.folder,
            environment: ProcessContext.environment.filter {
                !program.withheldVariables.contains($0.key)
            },
            hasInput: true
        )
        let errorStream = try errors.add(process.error, key: key)
        return ProgramChannel(process, errorStream, sockets, key: key, of: self)
    }

    /// Adopts a program whose exchange has ended.
    func leave(_ process: ChildProcess) {
        // The release of a program kills its group and collects its end.
        leaving.removeAll { $0.process.hasEnded }
        if leaving.count == Self.mostLeaving { leaving.removeFirst() }
        leaving.append((process, .now + Self.grace))
    }

    /// When `endOverdue` has something to do; the largest time for never.
    var nextTime: MonotonicTime {
        leaving.first?.deadline ?? MonotonicTime(nanoseconds: .max)
    }

    /// Kills the programs that have not ended in time.
    func endOverdue(_ now: MonotonicTime) {
        leaving.removeAll { $0.deadline <= now || $0.process.hasEnded }
    }

    /// Waits for the remaining programs, and kills programs that do not end in time.
    func finish() {
        for (process, deadline) in leaving { _ = process.awaitEnd(until: deadline.nanoseconds) }
        leaving = []
    }
}
