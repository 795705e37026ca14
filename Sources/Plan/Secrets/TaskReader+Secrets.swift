internal import JobFile
internal import TransferModel

extension TaskReader {
    /// Checks that each secret of a task may go where the task sends it, and keeps which ones there
    /// are.
    ///
    /// Secrets in fields of the session are the task's too, unless it has a field of that name
    /// itself.
    func checkSecrets(
        of draft: inout TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        guard let session = draft.session else { return }
        var uses = reader.secretUses
        for use in sessionSecrets[session] {
            switch use.place {
            case .header(let name) where draft.headers.contains(name): break
            // A redirect may lead to any of its servers; whether it may go there was checked with
            // the session.
            case .credential: draft.secrets.formUnion(use.secrets)
            case .url, .header, .body: uses.append(use)
            }
        }
        let node = reader.document.value(of: entry.value, for: "url")?.value ?? entry.key
        for use in uses {
            draft.secrets.formUnion(use.secrets)
            // Those of a URL go where that URL says.
            guard use.place != .url, let url = draft.url else { continue }
            reader.checkSecrets(use.secrets, sentTo: url.origin, at: node, from: use.node)
        }
        // What stands for a secret must never be sent.
        for secret in reader.secrets.missing(of: draft.secrets) {
            reader.add(secret.missing("has no value in this run"))
        }
    }
}
