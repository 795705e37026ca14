import ArgumentParser
import SystemKit
import TransferModel

/// Runs a job in a process that outlives this one, its terminal and its session.
struct Detachment {
    let state: StateFolder
    let jobPath: String
    let startDate: Timestamp

    /// The number of a job's logs to keep.
    private static let keptLogs = 10

    /// How long the user's service manager may take to start a scope, in nanoseconds.
    private static let managerNanoseconds: Int64 = 3_000_000_000

    /// Starts the other process, waits until it has its locks or ends, and then ends this one.
    ///
    /// - Throws: `Exit` when the run does not begin, whether or not that is a failure.
    func run() throws {
        guard let program = ProcessContext.executablePath else {
            throw Exit(.environment, "the program of this process cannot be found")
        }
        let place = try state.log(jobPath: jobPath, at: startDate)
        let arguments = try Self.arguments(of: ProcessContext.arguments)
        // A scope of the user's service manager survives the end of the session.
        var ways = [[program] + arguments]
        if Self.hasServiceManager {
            let scope = ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--"]
            ways.insert(scope + [program] + arguments, at: 0)
        }
        try Exit.environment { () throws(SystemError) in
            try withinFolder(place, ways)
        }
    }

    private func withinFolder(
        _ place: (folder: Folder, name: String),
        _ ways: [[String]]
    ) throws(SystemError) {
        for (number, way) in ways.enumerated() {
            let isLast = number == ways.count - 1
            let process: DetachedProcess
            do throws(SystemError) {
                process = try DetachedProcess(way, in: place.folder, log: place.name)
            } catch {
                guard !isLast else { throw error }
                continue
            }
            // The program reports at once, so a silence is the service manager's.
            if !isLast,
                !process.speaks(until: Clock.monotonicNanoseconds() + Self.managerNanoseconds)
            {
                process.end()
                _ = process.wait()
                place.folder.remove(place.name)
                StandardError.write(Array(Self.silence.utf8))
                continue
            }
            var said: [UInt8] = []
            while let more = try process.next() { said += more }
            let text = String(decoding: said, as: UTF8.self)
            // If no scope is available, run without one.
            let rest = text.withoutBytePrefix(Waiter.begun)
            if rest == nil, !isLast {
                _ = process.wait()
                place.folder.remove(place.name)
                continue
            }
            if let report = rest?.withoutBytePrefix(Waiter.ready)?
                .splitAtBytes("\n", omittingEmpty: false).first
            {
                let lines = """
                    process \(process.identifier)
                    log \(TerminalText.harmless(place.folder.path(of: place.name)))
                    report \(TerminalText.harmless(String(report)))

                    """
                // The run continues, whether or not these lines are read.
                let bytes = lines.systemBytes
                do { try StandardOutput.write(bytes.span) } catch { StandardError.write(bytes) }
                forgetOldLogs(of: place)
                return
            }
            end(process, place)
        }
    }

    private static let silence = """
        warning: the user's service manager gave no scope within 3 s (systemd-run --user --scope): the run continues \
        without a scope, and ends when the service manager ends this session

        """

    /// Ends like a run that did not begin, with its messages.
    private func end(_ process: DetachedProcess, _ place: (folder: Folder, name: String)) {
        let status = process.wait()
        let log = try? InputFile(path: place.folder.path(of: place.name))
            .readPrefix(limit: 1 << 20)
        StandardError.write(log ?? [])
        place.folder.remove(place.name)
        guard case .exited(let code) = status else { ProcessContext.exit(ExitCode.fault.rawValue) }
        ProcessContext.exit(code)
    }

    private func forgetOldLogs(of place: (folder: Folder, name: String)) {
        let stem = StateFolder.logStem(jobPath: jobPath)
        let names = try? Folder.names(in: place.folder.path, endingWith: ".log", limit: 100_000)
        let logs = (names ?? []).filter { $0.hasBytePrefix(stem) }.sorted()
        for name in logs.dropLast(Self.keptLogs) {
            place.folder.remove(name)
        }
    }

    /// The same arguments, plus the descriptor of the ready pipe.
    private static func arguments(of own: [String]) throws(Exit) -> [String] {
        guard let place = own.firstIndex(of: Program.runCommand) else {
            throw Exit(.usage, "`--detach` is an option of `runner run`")
        }
        return own[...place] + ["--ready-descriptor", "\(DetachedProcess.pipeDescriptor)"]
            + own[(place + 1)...]
    }

    /// Whether the user has a running service manager.
    private static var hasServiceManager: Bool {
        guard let folder = ProcessContext.folder("XDG_RUNTIME_DIR") else { return false }
        return PathOccupant(at: folder + "/systemd/private") != .nothing
    }
}

/// The process that waits until a detached run holds its locks.
struct Waiter {
    /// The first words of the detached run.
    static let begun = "begun\n"
    /// The words before the path of the report; the detached run then holds its locks.
    static let ready = "ready "

    private let pipe: ReadyPipe?

    /// Tells the waiting process that the detached run is this process.
    ///
    /// - Parameter descriptor: The pipe to the waiting process; nil when no process waits.
    /// - Throws: `Exit` when the waiting process has ended.
    init(descriptor: Int32?) throws(Exit) {
        pipe = descriptor.map { ReadyPipe(descriptor: $0) }
        try say(Self.begun)
    }

    /// Tells the waiting process that the run begins, with the path of the report.
    ///
    /// - Throws: `Exit` when the waiting process has ended.
    func runBegins(reportPath: String) throws(Exit) {
        try say("\(Self.ready)\(reportPath)\n")
        pipe?.end()
    }

    /// A waiting process that ends before the run begins cancels the run.
    private func say(_ text: String) throws(Exit) {
        guard let pipe, !pipe.say(text) else { return }
        throw Exit(.interrupted, "the process that started this run ended before the run began")
    }
}
