import SystemKit
import TransferModel

/// The documented exit codes, under a name that the argument parser does not have.
typealias RunnerExitCode = ExitCode

/// Ends the process with a code of the documented table.
struct Exit: Error {
    var code: ExitCode
    /// Written to standard error, when there is anything to say.
    var message: String?

    init(_ code: ExitCode, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// Does something with the system; what it refuses ends the process as a fault of the environment.
    static func environment<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(Exit) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Exit(.environment, error.message)
        }
    }

    /// Writes the message, if there is one, to standard error.
    func explain() {
        if let message { StandardError.write(Array("runner: \(message)\n".utf8)) }
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
