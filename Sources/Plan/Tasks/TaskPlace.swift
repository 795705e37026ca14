internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A task in the job file, for checks that point at its keys.
struct TaskPlace {
    let document: Document
    let entry: TaskList.Entry

    /// The name of the task for a message, to put after the name of a key.
    var context: String {
        " in \(entry.kind.rawValue) `\(document.text(of: entry.key).excerpt)`"
    }

    /// The key and the value of a setting; nil when the task does not have it.
    func setting(_ name: String) -> (key: NodeID, value: NodeID)? {
        document.value(of: entry.value, for: name)
    }

    /// The place of a key of the task; if the task lacks the key, the place of the task's id.
    func key(_ name: String) -> NodeID { setting(name)?.key ?? entry.key }

    /// Reports an error at a value or key.
    func report(
        _ code: JobCode,
        _ message: String,
        at node: NodeID,
        help: String? = nil,
        _ log: inout DiagnosticLog
    ) {
        log.add(code, message, at: document.range(of: node), help: help)
    }

    /// Reports each of `keys` in the task: for URLs of kind `name` these keys mean nothing, because
    /// of `reason`.
    func reportMeaningless(
        _ keys: [String],
        for name: String,
        _ reason: String,
        _ log: inout DiagnosticLog
    ) {
        for key in keys {
            guard let node = setting(key)?.key else { continue }
            let message = "`\(key)`\(context) means nothing for \(name), \(reason)"
            report(.conflictingKeys, message, at: node, &log)
        }
    }

    /// Reports `ifExists: revalidate` with a URL that does not support it; `words` follow the key
    /// in the message.
    func reportRevalidation(by draft: TaskDraft, _ words: String, _ log: inout DiagnosticLog) {
        guard draft.ifExists == .revalidate, let value = setting("ifExists")?.value else { return }
        report(.conflictingKeys, "`ifExists: revalidate`\(context) \(words)", at: value, &log)
    }

    /// Reports an expected media type: URLs of kind `name` have no media type, because of `reason`.
    func reportMediaType(
        by draft: TaskDraft,
        for name: String,
        _ reason: String,
        _ log: inout DiagnosticLog
    ) {
        guard !draft.expectation.mimeTypes.isEmpty else { return }
        report(
            .conflictingKeys,
            "`mimeType` of `expect`\(context) means nothing for \(name): \(reason)",
            at: key("expect"),
            &log
        )
    }

    /// Reports a background session, which does not support URLs of kind `name`; `reason` ends the
    /// advice.
    func reportBackground(
        _ session: SessionConfiguration?,
        for name: String,
        because reason: String? = nil,
        _ log: inout DiagnosticLog
    ) {
        guard let session, session.kind == .background else { return }
        report(
            .notInBackground,
            "`url`\(context): \(name) does not work with the background session "
                + "`\(session.name.excerpt)`",
            at: key("url"),
            help: "choose another session" + (reason.map { ": \($0)" } ?? ""),
            &log
        )
    }

    /// Reports a header field that the runner itself makes, if it is among the `headers` of the
    /// task.
    func reserve(
        _ name: String,
        _ reason: String,
        among headers: [HeaderField],
        _ log: inout DiagnosticLog
    ) {
        guard headers.contains(name), let node = setting("headers")?.value,
            let field = document.entries(of: node).first(where: {
                document.text(of: $0.key).lowercased() == name.lowercased()
            })
        else { return }
        let message = "`headers`: `\(name)` cannot be set by hand: \(reason)"
        report(.reservedHeader, message, at: field.key, &log)
    }

    /// Warns that a later run cannot recognise an order, and of the `effect`.
    func warnOfRunOrder(at key: NodeID, _ effect: String, _ log: inout DiagnosticLog) {
        guard log.takesWarnings else { return }
        log.warn(
            .orderOfRun,
            "`${run.…}` in the URL, the body or the key\(context) makes the request different in "
                + "every run, "
                + effect,
            at: document.range(of: key),
            help:
                "use a variable instead, such as `--var date=2026-11-21`"
        )
    }
}
