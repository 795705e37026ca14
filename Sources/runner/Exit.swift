import SystemKit
import TransferModel

/// The documented exit codes, under a name that the argument parser does not have.
typealias RunnerExitCode = ExitCode

/// Ends the process with a code of the documented table.
struct Exit: Error {
    var code: ExitCode
    /// Written to standard error, when there is anything to say.
    var message: String?
    /// More of them, each on a line of its own.
    var furtherMessages: [String]

    init(_ code: ExitCode, _ message: String? = nil, _ furtherMessages: [String] = []) {
        self.code = code
        self.message = message
        self.furtherMessages = furtherMessages
    }

    init(_ code: ExitCode, _ messages: [String]) {
        self.init(code, messages.first, Array(messages.dropFirst()))
    }

    /// Does something with the system; what it refuses ends the process as a fault of the
    /// environment.
    static func environment<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(Exit) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Exit(.environment, error.message)
        }
    }

    /// Writes the messages, if there are any, to standard error.
    func explain() {
        for message in [message].compactMap(\.self) + furtherMessages { StandardError.say(message) }
    }

    /// Says the message and ends the process.
    func leave() -> Never {
        explain()
        ProcessContext.exit(code.rawValue)
    }
}

extension ExitCode {
    /// The code of a process that a signal ends; a hang-up ends it as SIGTERM does.
    init(_ signal: StopSignal) {
        self = signal == .interrupt ? .interrupted : .terminated
    }
}
