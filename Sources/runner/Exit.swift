import SystemKit
import TransferModel

/// The documented exit codes, by a name that the argument parser does not use.
typealias RunnerExitCode = ExitCode

/// Ends the process with a documented exit code.
struct Exit: Error {
    var code: ExitCode
    /// The message for standard error, if any.
    var message: String?
    /// Further messages, each on its own line.
    var furtherMessages: [String]

    init(_ code: ExitCode, _ message: String? = nil, _ furtherMessages: [String] = []) {
        self.code = code
        self.message = message
        self.furtherMessages = furtherMessages
    }

    init(_ code: ExitCode, _ messages: [String]) {
        self.init(code, messages.first, Array(messages.dropFirst()))
    }

    /// Calls the system; its errors end the process with the code for environment problems.
    ///
    /// `advice` follows the error's message.
    static func environment<Result>(
        advice: String = "",
        _ body: () throws(SystemError) -> Result
    ) throws(Exit) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Exit(.environment, error.message + advice)
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
