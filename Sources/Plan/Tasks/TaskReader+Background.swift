internal import Diagnostics
internal import JobFile
internal import TransferModel

extension TaskReader {
    /// Reports what a task of a background session cannot have: a later run, which may be another
    /// process, goes on with it.
    func checkBackground(
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        guard let session = draft.session, sessions[session].kind == .background else { return }
        let name = "background session `\(sessions[session].name.excerpt)`"
        let document = reader.document
        func key(_ name: String) -> NodeID {
            document.value(of: entry.value, for: name)?.key ?? entry.key
        }
        if entry.kind == .data {
            reader.report(
                .notInBackground,
                "the data task\(reader.context) cannot belong to the \(name)",
                at: entry.key,
                help:
                    "its response lives as long as the run: make it a download, or name another session"
            )
        }
        if case .stream? = draft.body {
            reader.report(
                .notInBackground,
                "`stream`\(reader.context) cannot be sent by the \(name): nobody can send it again",
                at: key("stream"),
                help: "write it to a file and send that with `file`"
            )
        }
        if !draft.expectation.captures.isEmpty {
            reader.report(
                .notInBackground,
                "`capture`\(reader.context) does not outlive a run, as the \(name) does",
                at: key("capture")
            )
        }
        if let reference = reader.captureReferences.first {
            reader.add(
                Diagnostic(
                    .error,
                    .notInBackground,
                    "what others capture does not outlive a run, as the \(name)\(reader.context) does",
                    at: reference.range
                )
            )
        }
        if entry.kind == .upload, draft.idempotencyKey != .auto,
            draft.isOrderOfRun || reader.isOrderOfRun
        {
            reader.warnOfOrderOfRun(at: entry.key, "which is sent even when it was accepted before")
        }
        if draft.redirects.follow != .always {
            reader.report(
                .notInBackground,
                "the \(name) follows all redirects; `redirects`\(reader.context) says otherwise",
                at: key("redirects")
            )
        }
    }
}
