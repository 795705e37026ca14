internal import Diagnostics
internal import JobFile
internal import TransferModel

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

    /// Gives each session the credentials of the sessions with the same storage, behind its own and
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
