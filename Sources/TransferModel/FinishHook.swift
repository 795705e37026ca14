/// A program to run when all tasks have ended and the report is written.
package struct FinishHook: Sendable, Hashable {
    /// The key of the job file that names the program.
    package enum Event: String, Sendable, Hashable {
        case onFinish
        /// Only after a run whose exit code is not 0.
        case onFailure
    }

    /// When the program runs.
    package var event: Event
    /// The program and its arguments, run without a shell.
    package var arguments: [String]
    /// The program's time limit.
    package var timeout: Duration

    /// Creates a hook; `arguments` begins with the program.
    package init(_ event: Event, arguments: [String], timeout: Duration) {
        self.event = event
        self.arguments = arguments
        self.timeout = timeout
    }
}
