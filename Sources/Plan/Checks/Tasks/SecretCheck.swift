internal import JobFile
internal import TransferModel

/// Checks that each secret of a task may go where the task sends it.
enum SecretCheck {
    /// Reports secrets that may not go to the task's origin or have no value in this run, and keeps
    /// in `draft` which secrets the task holds.
    ///
    /// Secrets in header fields of the session belong to the task too, unless the task sets a field
    /// of that name itself; `inherited` has their places.
    static func check(
        _ draft: inout TaskDraft,
        inheriting inherited: [SecretUse],
        at place: TaskPlace,
        _ reader: inout Reader
    ) {
        var uses = reader.secretUses
        for use in inherited {
            switch use.place {
            case .header(let name) where draft.headers.contains(name): break
            // A redirect may lead to any of its servers; whether it may go there was checked with
            // the session.
            case .credential: draft.secrets.formUnion(use.secrets)
            case .url, .header, .body: uses.append(use)
            }
        }
        let node = (place.setting("url") ?? place.setting("host"))?.value ?? place.entry.key
        for use in uses {
            draft.secrets.formUnion(use.secrets)
            // Secrets of a URL go where that URL says, which was checked when it was read.
            guard use.place != .url, let url = draft.url else { continue }
            reader.checkSecrets(
                use.secrets,
                sentTo: url.origin,
                at: node,
                from: use.node,
                isInStream: place.entry.kind == .stream
            )
        }
        // A stand-in for a secret must never be sent.
        for secret in reader.values.secrets.missing(of: draft.secrets) {
            reader.faults.log.add(secret.missing("has no value in this run"))
        }
    }
}
