import Plan
import SystemKit
import TransferModel

/// The lock of a job, which one run at a time holds.
///
/// A run takes the lock before it reads the job's tasks; a run without the lock does nothing else
/// and leaves no report.
struct RunLock {
    private let request: LockRequest
    private let file: FileLock
    private let signals: RunSignals
    /// Whether the wait is not announced.
    private let isQuiet: Bool

    /// Finds the job's lock.
    ///
    /// - Parameters:
    ///   - request: The job's policy about the lock.
    ///   - state: The folder of the lock's file.
    ///   - jobPath: The job's file.
    ///   - signals: The stop signals, which end a wait.
    ///   - isQuiet: Whether only failures are printed.
    /// - Throws: `Exit` when there is no folder for the lock.
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
        file = try state.lock(of: JobIdentity(request, path: jobPath))
    }

    /// Takes the lock, which is held while the result lives.
    ///
    /// - Returns: The lock, and whether another run held it at first.
    /// - Throws: `Exit` when the job does not run now, whether that is a failure or not.
    func take() throws(Exit) -> (lock: FileLock, wasAwaited: Bool) {
        if try attempt({ () throws(SystemError) in try file.take() }) { return (held(), false) }
        switch request.policy {
        case .fail: throw Exit(.locked, "\(holder) holds the lock: nothing was done")
        case .skip:
            throw Exit(.success, isQuiet ? nil : "\(holder) is in progress: nothing was done")
        case .wait(let limit):
            try wait(limit)
            return (held(), true)
        }
    }

    /// Refuses to send orders while a run of another number of shards could send them under other
    /// keys.
    ///
    /// Each run holds its own lock by now, so that of two runs at least one sees the other.
    static func requireOneDivision(
        of request: LockRequest,
        in state: StateFolder,
        jobPath: String
    ) throws(Exit) {
        let taken = try Exit.environment { () throws(SystemError) in
            try state.takenLock(besides: JobIdentity(request, path: jobPath))
        }
        guard let (lock, shard) = taken else { return }
        let part = shard.map { " with --shard \($0.text)" } ?? " without --shard"
        throw Exit(
            .locked,
            "\(holder(of: lock, request))\(part) may send the same orders: nothing was done"
        )
    }

    /// The run that holds the lock, as the beginning of a sentence.
    private var holder: String { Self.holder(of: file, request) }

    private static func holder(of file: FileLock, _ request: LockRequest) -> String {
        let holder = file.note.flatMap(LockNote.init)?.description ?? ""
        return "another run of `\(request.jobName.onOneLine(limit: 80).text)`\(holder)"
    }

    private func held() -> FileLock {
        file.write(note: LockNote.own.text)
        return file
    }

    private func attempt<Result>(_ body: () throws(SystemError) -> Result) throws(Exit) -> Result {
        try Exit.environment(advice: ": name another state folder with --state-dir", body)
    }

    /// An event that ends the wait.
    private enum Message: Sendable {
        case taken
        case refused(SystemError)
        case signal(StopSignal)
    }

    /// Waits for the lock on a separate thread, which lives until the process ends if the wait
    /// fails.
    private func wait(_ limit: Duration?) throws(Exit) {
        let deadline = limit.map { MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + $0 }
        let inbox = Inbox<Message>()
        try signals.hear { signal in
            let turn = inbox.push(.signal(signal))
            return { inbox.isTaken(turn) }
        }
        // The listener is there already, because a reader of this line may send a signal at once.
        if !isQuiet { StandardError.say("waiting: \(holder) is in progress") }
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
        // A signal that arrives with the lock is not lost: it is in the inbox, or waits for the
        // run's receiver.
        for case .signal(let signal) in first + inbox.takeAll(until: .min) {
            throw Exit(ExitCode(signal), "stopped while waiting for \(holder)")
        }
        switch first.first {
        case .refused(let error)?: try attempt { () throws(SystemError) in throw error }
        case nil: throw Exit(.locked, "\(holder) still holds the lock: nothing was done")
        default: break
        }
    }
}

/// The note in a lock's file that names the run that holds the lock.
///
/// The number of a process has a meaning only in its namespace, on its machine, until the machine
/// restarts.
struct LockNote {
    private let process: Int32
    /// The namespace of that number and the start of the machine; nil where the kernel does not
    /// report them.
    private let place: String?
    private let host: String

    /// The note of this process.
    static let own = LockNote(
        process: ProcessContext.identifier,
        place: ProcessContext.processNamespace,
        host: ProcessContext.hostName
    )

    private init(process: Int32, place: String?, host: String) {
        self.process = process
        self.place = place
        self.host = host
    }

    /// Reads a note; nil for another text, because any process with access to the file may have
    /// written it.
    init?(_ text: String) {
        let words = text.splitAtBytes(" ", maxSplits: 2)
        guard words.count == 3, let process = Int32(words[0]), process > 0 else { return nil }
        self.init(
            process: process,
            place: words[1] == "-" ? nil : String(words[1]),
            host: String(words[2])
        )
    }

    /// The text of the note in the file.
    var text: String { "\(process) \(place ?? "-") \(host)" }

    /// The process of the run, after a space; empty where the namespaces are not known.
    var description: String {
        guard let place, let own = Self.own.place else { return "" }
        if place == own { return " (process \(process))" }
        let host = host.onOneLine(limit: 80).text
        return " (process \(process) of another container or machine, \(host))"
    }
}
