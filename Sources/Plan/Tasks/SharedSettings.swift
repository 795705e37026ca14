internal import TransferModel

/// What the tasks of a job share: its sessions and its defaults.
///
/// A class, so that passing it on copies no session.
final class SharedSettings: Sendable {
    /// At least one.
    let sessions: [SessionConfiguration]
    /// The settings of `defaults` for tasks.
    let defaults: TaskDraft
    /// Where secrets stand in the fields of each session.
    let sessionSecrets: [[SecretUse]]
    /// The credentials with which each session signs requests.
    let signers: [[Credential]]
    /// Whether there is a background session.
    let hasBackground: Bool

    init(
        sessions: [SessionConfiguration],
        defaults: TaskDraft,
        sessionSecrets: [[SecretUse]]
    ) {
        self.sessions = sessions
        self.defaults = defaults
        self.sessionSecrets = sessionSecrets
        signers = sessions.map { $0.credentials.filter(\.isSigner) }
        hasBackground = sessions.contains { $0.kind == .background }
    }
}
