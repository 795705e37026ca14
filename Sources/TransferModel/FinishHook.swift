/// A program to run when all tasks have ended and the report is written.
package struct FinishHook: Sendable, Hashable {
    /// The program and its arguments, run without a shell.
    package var arguments: [String]
    /// The program's time limit.
    package var timeout: Duration

    /// Creates a hook; `arguments` begins with the program.
    package init(arguments: [String], timeout: Duration) {
        self.arguments = arguments
        self.timeout = timeout
    }
}
