internal import Diagnostics
internal import JobFile
internal import TransferModel

extension TaskReader {
    /// Checks that each secret of a task may go where the task sends it, and keeps which ones there are.
    ///
    /// Secrets in fields of the session are the task's too, unless it has a field of that name itself.
    func checkSecrets(
        of draft: inout TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        guard let session = draft.session, let url = draft.url else { return }
        var uses = reader.secretUses
        for use in sessionSecrets[session] {
            guard case .header(let name) = use.place, !draft.headers.contains(name) else {
                continue
            }
            uses.append(use)
        }
        for use in uses {
            draft.secrets.formUnion(use.secrets)
            for position in use.secrets.positions {
                guard let declaration = reader.secrets.declarations[position],
                    !declaration.mayGo(to: url.origin)
                else { continue }
                Self.report(declaration, sentTo: url.origin, use, entry, &reader)
            }
        }
    }

    private static func report(
        _ declaration: SecretDeclaration,
        sentTo origin: Origin,
        _ use: SecretUse,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        let document = reader.document
        let url = document.value(of: entry.value, for: "url")?.value ?? entry.key
        let isPlain = origin.scheme == .http && !origin.isLoopback
        let notes = [
            Diagnostic.Note("it stands here", at: document.range(of: use.node)),
            Diagnostic.Note("it is declared here", at: declaration.range),
        ]
        reader.report(
            isPlain ? .secretOverPlainHTTP : .secretToOtherOrigin,
            "the secret `\(declaration.name)`\(reader.context) "
                + (isPlain
                    ? "goes over plain http, readable on the way"
                    : "goes to `\(origin.text)`, which is none of its `origins`"),
            at: url,
            notes: use.place == .url ? [notes[1]] : notes,
            help: isPlain ? "use `https://`" : nil
        )
    }
}
