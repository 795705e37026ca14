extension ExitCode {
    /// The codes that a run's end can ask for, the strongest first: a signal's, then the codes of
    /// tasks.
    private static let precedence: [ExitCode] = [
        .interrupted, .terminated, .integrity, .environment, .taskFailed, .deadline, .deferred,
        .temporary,
    ]

    /// The code of a run that ends with two codes.
    package func combined(with other: ExitCode) -> ExitCode {
        Self.precedence.first { $0 == self || $0 == other } ?? .success
    }
}
