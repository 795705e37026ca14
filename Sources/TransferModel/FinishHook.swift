/// A program that is told when every task of a run has ended and the report is there.
package struct FinishHook: Sendable, Hashable {
    /// The program and what it gets, at least one; no shell reads them.
    package var arguments: [String]
    /// The longest time that it may take.
    package var timeout: Duration

    package init(arguments: [String], timeout: Duration) {
        self.arguments = arguments
        self.timeout = timeout
    }
}
