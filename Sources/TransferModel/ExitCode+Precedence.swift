extension ExitCode {
    /// The codes that a run's end can ask for, the one that wins over the others first: a signal's,
    /// then those of tasks.
    private static let precedence: [ExitCode] = [
        .interrupted, .terminated, .integrity, .environment, .taskFailed, .deadline, .deferred,
        .temporary,
    ]

    /// The one of two codes that a run with both ends with.
    package func combined(with other: ExitCode) -> ExitCode {
        Self.precedence.first { $0 == self || $0 == other } ?? .success
    }
}
