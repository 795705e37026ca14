internal import Diagnostics
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
        if let field = head.draft.sessions, reader.isMapping(field, in: JobTable.table.keys) {
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
        self.sessions =
            head.sharingCount.map { count in sessions.map { $0.divided(by: count) } } ?? sessions
        self.defaults = defaults.task
        sessionSecrets = secrets
        self.faulty = faulty
        signers = sessions.map { $0.credentials.filter(\.isSigner) }
        hasBackground = sessions.contains { $0.kind == .background }
    }

    /// Why the job has no shards; nil when it may have some.
    ///
    /// The stored transfers of a background session do not say with how many shards they began.
    func fault(of shard: Shard?) -> String? {
        guard shard != nil else { return nil }
        return sessions.first { $0.kind == .background }.map {
            "`--shard` cannot run a part of a job with a background session: `\($0.name.excerpt)` "
                + "is one"
        }
    }
}

/// Checks that each background session, and no other session, has an `identifier` of its own.
struct SessionIdentifierCheck {
    /// The places of the identifiers.
    private var known: [String: NodeID] = [:]

    /// Checks the identifier of the next session, at `entry`.
    mutating func check(
        _ session: SessionConfiguration,
        _ entry: (key: NodeID, value: NodeID),
        _ reader: inout Reader
    ) {
        let place = reader.document.value(of: entry.value, for: "identifier")
        guard session.kind == .background else {
            guard let key = place?.key else { return }
            return reader.report(
                .conflictingKeys,
                "`identifier`\(reader.context) belongs to a background session",
                at: key,
                help: "write `configuration: background`"
            )
        }
        guard let place else {
            return reader.report(
                .missingKey,
                "the key `identifier`\(reader.context) is required for a background session",
                at: entry.key,
                help:
                    "it names the stored state of the session, such as `identifier: nightly`"
            )
        }
        guard let identifier = session.identifier else { return }
        guard let first = known[identifier] else {
            known[identifier] = place.value
            return
        }
        reader.report(
            .duplicateIdentifier,
            "duplicate identifier `\(identifier.excerpt)`",
            at: place.value,
            notes: [.init("the first one is here", at: reader.document.range(of: first))],
            help: "each background session needs its own identifier"
        )
    }
}

/// The storages of cookies and credentials that sessions of a job share by naming them.
struct SharedStorages {
    /// The first session of a storage of cookies.
    private struct First {
        var name: String
        var isEphemeral: Bool
        var place: NodeID
    }

    private var cookies: [String: First] = [:]

    /// Reports a session that keeps cookies on disk and one that must not, if they share a storage.
    ///
    /// - Parameters:
    ///   - session: The next session.
    ///   - entry: The session in the job file.
    ///   - reader: Takes the fault.
    mutating func check(
        _ session: SessionConfiguration,
        _ entry: (key: NodeID, value: NodeID),
        _ reader: inout Reader
    ) {
        guard case .shared(let name) = session.httpCookieStorage else { return }
        let place =
            reader.document.value(of: entry.value, for: "httpCookieStorage")?.value ?? entry.key
        let isEphemeral = session.kind == .ephemeral
        guard let first = cookies[name] else {
            cookies[name] = First(name: session.name, isEphemeral: isEphemeral, place: place)
            return
        }
        guard first.isEphemeral != isEphemeral else { return }
        let (kept, passing) =
            isEphemeral ? (first.name, session.name) : (session.name, first.name)
        reader.report(
            .conflictingKeys,
            "`httpCookieStorage: \(name.excerpt)` is on disk for session `\(kept.excerpt)`, and the "
                + "ephemeral session `\(passing.excerpt)` keeps nothing",
            at: place,
            notes: [
                .init("the storage is shared with", at: reader.document.range(of: first.place))
            ],
            help: "give ephemeral sessions a storage of their own"
        )
    }

    /// Gives each session the credentials of the sessions with the same storage, after its own and
    /// in the order of the job file; `secrets` has the secrets of each session.
    static func shareCredentials(
        among sessions: inout [SessionConfiguration],
        _ secrets: inout [[SecretUse]]
    ) {
        let members = Dictionary(
            grouping: sessions.indices.filter { sessions[$0].urlCredentialStorage != nil }
        ) { sessions[$0].urlCredentialStorage }
        for group in members.values where group.count > 1 {
            let credentials = group.map { sessions[$0].credentials }
            let uses = group.map { secrets[$0].filter { $0.place == .credential } }
            for (position, session) in group.enumerated() {
                for other in group.indices where other != position {
                    let known = sessions[session].credentials
                    sessions[session].credentials += credentials[other].filter {
                        !known.contains($0)
                    }
                    secrets[session] += uses[other]
                }
            }
        }
    }
}
