import Plan
import SystemKit
import TransferModel

/// The lock of a job, which one run at a time has.
///
/// Asked for before the job's tasks are looked at: who does not get it does nothing else, and leaves no report.
struct RunLock {
    private let request: LockRequest
    private let file: FileLock
    private let signals: RunSignals
    /// Whether one says that one waits.
    private let isQuiet: Bool

    /// Finds the job's lock.
    ///
    /// - Parameters:
    ///   - request: What the job says of it.
    ///   - state: Where it is kept.
    ///   - jobPath: The job's file.
    ///   - signals: What ends a wait.
    ///   - isQuiet: Whether nothing is said but of failures.
    /// - Throws: `Exit` when there is no place for it.
    init(
        _ request: LockRequest,
        in state: StateFolder,
        jobPath: String,
        signals: RunSignals,
        isQuiet: Bool
    ) throws(Exit) {
        self.request = request
        self.signals = signals
        self.isQuiet = isQuiet
        file = try state.lock(jobName: request.jobName, jobPath: jobPath)
    }

    /// Takes the lock, which is held while the result lives.
    ///
    /// - Returns: It, and whether another run had it at first.
    /// - Throws: `Exit` when the job does not run now, whether that is a failure or not.
    func take() throws(Exit) -> (lock: FileLock, wasAwaited: Bool) {
        if try attempt({ () throws(SystemError) in try file.take() }) { return (held(), false) }
        switch request.policy {
        case .fail: throw Exit(.locked, "\(holder) holds the lock: nothing was done")
        case .skip:
            throw Exit(.success, isQuiet ? nil : "\(holder) is under way: nothing was done")
        case .wait(let limit):
            try wait(limit)
            return (held(), true)
        }
    }

    /// Who has the lock, as the beginning of a sentence.
    private var holder: String {
        let holder = file.note.flatMap(LockNote.init)?.description ?? ""
        return "another run of `\(request.jobName.onOneLine(limit: 80).text)`\(holder)"
    }

    private func held() -> FileLock {
        file.write(note: LockNote.own.text)
        return file
    }

    private func attempt<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(Exit) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Exit(.environment, "\(error.message): name another state folder with --state-dir")
        }
    }

    /// What ends the wait.
    private enum Message: Sendable {
        case taken
        case refused(SystemError)
        case signal(StopSignal)
    }

    /// Waits for the lock on a thread of its own, which ends with the process when the wait is in vain.
    private func wait(_ limit: Duration?) throws(Exit) {
        let deadline = limit.map { MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + $0 }
        let inbox = Inbox<Message>()
        try signals.hear { signal in
            let turn = inbox.push(.signal(signal))
            return { inbox.isTaken(turn) }
        }
        // Behind the listener: who reads it may send a signal at once.
        if !isQuiet { StandardError.say("waiting: \(holder) is under way") }
        let file = file
        _ = try Exit.environment { () throws(SystemError) in
            try JoinableThread(name: "lock") {
                do throws(SystemError) {
                    try file.waitAndTake()
                    inbox.push(.taken)
                } catch {
                    inbox.push(.refused(error))
                }
            }
        }
        let first = inbox.takeAll(until: deadline?.nanoseconds)
        signals.keep()
        // One that comes with the lock is not lost: it is here, or waits for the run to hear it.
        for case .signal(let signal) in first + inbox.takeAll(until: .min) {
            throw Exit(ExitCode(signal), "stopped while it waited: \(holder)")
        }
        switch first.first {
        case .refused(let error)?: try attempt { () throws(SystemError) in throw error }
        case nil: throw Exit(.locked, "\(holder) still holds the lock: nothing was done")
        default: break
        }
    }
}
