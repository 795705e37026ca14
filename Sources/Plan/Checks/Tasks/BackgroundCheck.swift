internal import Diagnostics
internal import TransferModel

/// Finds what a task of a background session cannot have: a later run, in another process, may
/// continue the task.
enum BackgroundCheck {
    /// Reports settings that need the process of one run; `capture` is the first one that the task
    /// uses.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration,
        using capture: CaptureReference?,
        isOrderOfRun: Bool,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard session.kind == .background else { return }
        let name = "background session `\(session.name.excerpt)`"
        let (kind, id, context) = (place.entry.kind, place.entry.key, place.context)
        if kind == .data {
            place.report(
                .notInBackground,
                "the data task\(context) cannot belong to the \(name)",
                at: id,
                help:
                    "its response lives as long as the run: make it a download, or name another session",
                &log
            )
        }
        if case .stream? = draft.body {
            place.report(
                .notInBackground,
                "`stream`\(context) cannot be sent by the \(name): nobody can send it again",
                at: place.key("stream"),
                help: "write it to a file and send that with `file`",
                &log
            )
        }
        if !draft.expectation.captures.isEmpty {
            place.report(
                .notInBackground,
                "`capture`\(context) does not outlive a run, as the \(name) does",
                at: place.key("capture"),
                &log
            )
        }
        if let capture {
            log.add(
                .notInBackground,
                "what others capture does not outlive a run, as the \(name)\(context) does",
                at: capture.range
            )
        }
        if kind == .upload, draft.idempotencyKey != .auto, isOrderOfRun {
            let effect = "which is sent even when it was accepted before"
            place.warnOfRunOrder(at: id, effect, &log)
        }
        if draft.redirects.follow != .always {
            place.report(
                .notInBackground,
                "the \(name) follows all redirects; `redirects`\(context) says otherwise",
                at: place.key("redirects"),
                &log
            )
        }
    }
}
