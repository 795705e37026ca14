import ArgumentParser
import Journal
import SystemKit
import Transfer
import TransferModel

/// `runner cancel`: ends a background session with what is left of it.
struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a background session with what is left of it.",
        discussion: """
            A run that has it is told to end, and waited for. The next run begins anew; what is there of downloads stays, \
            and is gone on with. Exits with 2 when there is none of that identifier, 4 when it cannot be read, 10 when \
            a run that has it does not end.
            """
    )

    @Argument(help: "The background session.")
    var identifier: String

    @OptionGroup var state: StateOptions

    /// How long a run is waited for that was told to end, before it is told again and after that.
    private static let patience = Duration.seconds(15)

    mutating func run() throws {
        let stateFolder = StateFolder(
            chosen: state.chosenFolder,
            environment: ProcessContext.environment
        )
        let folder = try stateFolder.background()
        try folder.require(identifier)
        let lock = try folder.lock(of: identifier)
        // The one that has it now, and whoever gets it from that.
        if try !BackgroundFolder.take(lock) {
            try stopHolder(of: lock)
            guard try BackgroundFolder.take(lock) else {
                throw Exit.held(identifier, by: lock.holder)
            }
        }
        defer { withExtendedLifetime(lock) {} }
        let left: BackgroundRound?
        do throws(BackgroundJournal.Fault) {
            left = try BackgroundJournal.cancel(
                in: folder.path,
                name: BackgroundFolder.journalName(of: identifier)
            )
        } catch {
            throw Exit(.environment, error.message)
        }
        if let left, left.state == .open { giveUpUploads(of: left, in: stateFolder) }
        try StandardOutput.write(line(about: left))
    }

    /// Tells the servers of cut uploads that nobody comes back for them; whatever they say, the
    /// session has ended.
    private func giveUpUploads(of left: BackgroundRound, in stateFolder: StateFolder) {
        let path = stateFolder.uploadFolder(jobName: left.job.name, jobPath: left.job.path)
        guard let path else { return }
        // Also one that has failed for good may have left some of it.
        let ids = left.transfers.map {
            SessionConfiguration.uploadName(of: $0.id, in: identifier)
        }
        _ = try? LeftUploads(in: path, of: ids).giveUp(
            clock: .now(),
            environment: ProcessContext.variable
        )
    }

    private func line(about left: BackgroundRound?) -> String {
        let name = TerminalText.harmless(identifier)
        guard let left, left.state == .open else {
            return "\(name): nothing was left to cancel\n"
        }
        let ended = left.transfers.count { $0.state.end != nil }
        let all = max(left.taskCount ?? 0, left.transfers.count)
        return "\(name): cancelled with \(all - ended) of \(all) transfers left\n"
    }

    /// Tells the process that has the lock to end, and waits until it has.
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
                // It has ended in between.
                if error.isNoProcess { return }
                throw error
            }
            // Held by that number still, it is that process: the kernel gives no number twice at a
            // time.
            guard lock.holder == holder else { return }
            for _ in 1...2 {
                try process.send(.terminate)
                let deadline = Clock.monotonicNanoseconds() + Self.patience.nanoseconds
                if process.waitForEnd(until: deadline) { return }
            }
        }
    }
}
