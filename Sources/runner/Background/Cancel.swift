import ArgumentParser
import Journal
import SystemKit
import Transfer
import TransferModel

/// `runner cancel`: ends a background session and gives up its unfinished transfers.
struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a background session and cancel its unfinished transfers.",
        discussion: Examples.discussion(
            """
            runner stops a run that uses the session and waits for its end. The next run starts the transfers again; \
            partial downloads are kept and resumed. Exits with 2 for an unknown identifier, with 4 when the session \
            cannot be read, and with 10 when a run that uses it does not end.
            """,
            Example("find the identifier, then end the session", "runner status"),
            Example("give up what is left of it", "runner cancel nightly-mirror")
        )
    )

    @Argument(help: "The identifier of the background session.")
    var identifier: String

    @OptionGroup var state: StateOptions

    /// How long to wait for a stopped run, before and after a second signal.
    private static let patience = Duration.seconds(15)

    mutating func run() throws {
        let stateFolder = state.folder
        let folder = try stateFolder.background()
        try folder.require(identifier)
        let lock = try folder.lock(of: identifier)
        // The current holder, and any process that takes over the lock.
        if try !BackgroundFolder.take(lock) {
            try stopHolder(of: lock)
            guard try BackgroundFolder.take(lock) else {
                throw Exit.held(identifier, by: lock.holder)
            }
        }
        defer { withExtendedLifetime(lock) {} }
        let left: BackgroundRound?
        do throws(JournalFault) {
            left = try BackgroundJournal.cancel(
                in: folder.path,
                name: BackgroundFolder.journalName(of: identifier)
            )
        } catch {
            throw Exit(.environment, error.message)
        }
        // The next run begins a new round, which no user has suspended.
        _ = try folder.resume(identifier)
        if let left, left.state == .open { giveUpUploads(of: left, in: stateFolder) }
        try StandardOutput.write(line(about: left))
    }

    /// Tells the servers of interrupted uploads to drop them; ignores their responses.
    private func giveUpUploads(of left: BackgroundRound, in stateFolder: StateFolder) {
        let job = left.job
        // Even a failed upload may have left a part.
        let ids = left.transfers.map {
            SessionConfiguration.uploadName(of: $0.id, in: identifier)
        }
        let owner = JobIdentity(name: job.name, identifier: job.identifier, path: job.path)
        guard let path = stateFolder.uploadFolder(of: owner) else { return }
        _ = try? LeftUploads(in: path, of: ids).giveUp(
            clock: .now(),
            environment: ProcessContext.variable
        )
    }

    private func line(about left: BackgroundRound?) -> String {
        let name = TerminalText.harmless(identifier)
        guard let left, left.state == .open else {
            return "\(name): no transfer to cancel\n"
        }
        let ended = left.transfers.count { $0.state.end != nil }
        let all = max(left.taskCount ?? 0, left.transfers.count)
        return "\(name): cancelled \(all - ended) of \(all) transfers\n"
    }

    /// Tells the process that holds the lock to end, and waits for it.
    private func stopHolder(of lock: ProcessLock) throws {
        guard let holder = lock.holder else { return }
        guard case .process(let number) = holder else {
            throw Exit.held(identifier, by: holder)
        }
        try Exit.environment { () throws(SystemError) in
            let process: RunningProcess
            do throws(SystemError) {
                process = try RunningProcess(number)
            } catch {
                // The process has just ended.
                if error.isNoProcess { return }
                throw error
            }
            // A process that still holds the lock under that number is the right one: numbers of
            // running processes are unique.
            guard lock.holder == holder else { return }
            for _ in 1...2 {
                try process.send(.terminate)
                let deadline = Clock.monotonicNanoseconds() + Self.patience.nanoseconds
                if process.waitForEnd(until: deadline) { return }
            }
        }
    }
}
