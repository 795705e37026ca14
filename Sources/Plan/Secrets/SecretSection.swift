internal import Diagnostics
internal import JobFile

/// The section `secrets`.
enum SecretSection {
    /// Notes the names of the secrets, so that expressions can refer to them; `values` is nil while
    /// the job is only checked.
    static func declare(values: [String: KnownSecret]?, _ reader: inout Reader) {
        let document = reader.document
        guard let section = document.value(of: document.root, for: "secrets")?.value else { return }
        reader.values.secrets = SecretList(isForRun: values != nil)
        for entry in document.entries(of: section) where !reader.document.isFree(entry.key) {
            let name = document.text(of: entry.key)
            guard Expression.isVariableName(name) else {
                reader.report(
                    .badID,
                    "`\(name.excerpt)` is not a name of a secret",
                    at: entry.key,
                    help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
                )
                continue
            }
            guard reader.values.secrets.declare(name, values?[name]) else {
                reader.report(
                    .outOfRange,
                    "a job may have at most \(SecretSet.capacity) secrets",
                    at: entry.key
                )
                return
            }
        }
    }

    /// Reads the declaration of each secret.
    static func define(_ reader: inout Reader) {
        let document = reader.document
        // Also a second section: its presence is a fault, whose message must not show secrets.
        let sections = document.entries(of: document.root).filter {
            document.hasText($0.key, equalTo: "secrets")
        }
        let entries = sections.flatMap { document.entries(of: $0.value) }
        for entry in entries where !reader.document.isFree(entry.key) {
            let name = document.text(of: entry.key)
            var draft = SecretDraft()
            reader.faults.owner = .secret(entry.key)
            let isFaultless = reader.isFaultless {
                $0.apply(SecretTable.table, to: &draft, from: entry.value, ownedBy: entry.key)
            }
            reader.values.secrets.variables.formUnion(draft.variables)
            guard isFaultless, var source = draft.source else { continue }
            if let timeout = draft.timeout, case .command(let arguments, _) = source {
                source = .command(arguments, timeout: timeout)
            }
            reader.values.secrets.define(
                SecretDeclaration(
                    name: name,
                    source: source,
                    origins: draft.origins,
                    allowsURL: draft.allowsURL,
                    range: document.range(of: entry.key)
                )
            )
        }
        reader.faults.owner = .job
    }
}
