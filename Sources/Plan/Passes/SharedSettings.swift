internal import JobFile
internal import TransferModel

/// The second pass over a job: the common settings of its tasks, `defaults` and `sessions`.
///
/// A class, so that passing it on copies no session.
final class SharedSettings: Sendable {
    /// At least one.
    let sessions: [SessionConfiguration]
    /// The settings of `defaults` for tasks.
    let defaults: TaskDraft
    /// The places of secrets in the fields of each session.
    let sessionSecrets: [[SecretUse]]
    /// The credentials with which each session signs requests.
    let signers: [[Credential]]
    /// The sessions with faults: settings that they lack may be written in their faulty ones.
    let faulty: Set<Int>
    /// Whether there is a background session.
    let hasBackground: Bool

    /// Each session has connections of its own, and a copy of `defaults`.
    private static let mostSessions = 1000

    /// Reads the sections `defaults` and `sessions`; `reader` then finds sessions by their names.
    init(of head: JobHead, with reader: inout Reader) {
        var defaults = DefaultsDraft()
        if let field = head.draft.defaults {
            reader.faults.owner = .defaults
            reader.apply(DefaultsTable.table, to: &defaults, from: field.node, ownedBy: field.key)
        }
        let shared = reader.takeSecretUses()
        var (sessions, secrets): ([SessionConfiguration], [[SecretUse]]) = ([], [])
        var faulty: Set<Int> = []
        if let field = head.draft.sessions, reader.isMapping(field) {
            var identifiers = SessionIdentifierCheck()
            var storages = SharedStorages()
            let document = head.document
            for entry in document.entries(of: field.node) where !reader.document.isFree(entry.key) {
                IDCheck.check(entry.key, "session name", &reader)
                reader.faults.owner = .session(entry.key)
                var session = defaults.session
                session.name = document.text(of: entry.key)
                let isFaultless = reader.isFaultless { reader in
                    reader.apply(
                        SessionTable.table,
                        to: &session,
                        from: entry.value,
                        ownedBy: entry.key
                    )
                    identifiers.check(session, entry, &reader)
                    storages.check(session, entry, &reader)
                    guard sessions.count < Self.mostSessions else {
                        let fault = "a job may have at most \(Self.mostSessions) sessions"
                        return reader.report(.outOfRange, fault, at: entry.key)
                    }
                    SessionNetwork.settleDiscretion(of: &session, entry.value, &reader)
                    SessionNetwork.checkMultipath(of: session, entry.value, &reader)
                }
                guard sessions.count < Self.mostSessions else { break }
                if !isFaultless { faulty.insert(sessions.count) }
                reader.sessions[session.name] = sessions.count
                sessions.append(session)
                let inherited = shared.filter { $0.stands(in: session, as: defaults.session) }
                secrets.append(reader.takeSecretUses() + inherited)
            }
        }
        if sessions.isEmpty {
            SessionNetwork.settleDiscretion(of: &defaults.session, nil, &reader)
            sessions = [defaults.session]
            secrets = [shared]
            if reader.faults.log.hasErrors { faulty = [0] }
            reader.sessions[defaults.session.name] = 0
        }
        reader.faults.owner = .job
        SharedStorages.shareCredentials(among: &sessions, &secrets)
        self.sessions = sessions
        self.defaults = defaults.task
        sessionSecrets = secrets
        self.faulty = faulty
        signers = sessions.map { $0.credentials.filter(\.isSigner) }
        hasBackground = sessions.contains { $0.kind == .background }
    }
}
