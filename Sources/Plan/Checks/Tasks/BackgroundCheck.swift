internal import Diagnostics
internal import TransferModel

/// Finds the settings that a task of a background session cannot have: a later run, in another
/// process, may continue the task.
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
                    "its response is lost at the end of the run: make it a download, or choose "
                    + "another session",
                &log
            )
        }
        if kind == .webSocket || kind == .stream {
            place.report(
                .notInBackground,
                "the \(kind == .stream ? "stream" : "WebSocket") task\(context) cannot belong to "
                    + "the \(name)",
                at: id,
                help: "a later run cannot continue a conversation: choose another session",
                &log
            )
        }
        checkKeys(of: draft, name, at: place, &log)
        if let capture {
            log.add(
                .notInBackground,
                "captured values of other tasks do not work with the \(name)\(context): they are "
                    + "lost at the end of a run",
                at: capture.range
            )
        }
        if kind == .upload, draft.idempotencyKey != .auto, isOrderOfRun {
            let effect = "so that a later run sends it even if the server accepted it before"
            place.warnOfRunOrder(at: id, effect, &log)
        }
        if draft.redirects.follow != .always || !draft.redirects.decisions.isEmpty {
            place.report(
                .notInBackground,
                "the \(name) follows all redirects; remove `redirects`\(context)",
                at: place.key("redirects"),
                &log
            )
        }
    }

    /// Reports a body and captures that a later run cannot have.
    private static func checkKeys(
        of draft: TaskDraft,
        _ name: String,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let context = place.context
        if case .stream? = draft.body {
            place.report(
                .notInBackground,
                "`stream`\(context) does not work with the \(name): a later run cannot send it "
                    + "again",
                at: place.key("stream"),
                help: "write it to a file and send that with `file`",
                &log
            )
        }
        if draft.when != nil {
            place.report(
                .notInBackground,
                "`when`\(context) does not work with the \(name): a later run, which continues the "
                    + "session, could decide otherwise",
                at: place.key("when"),
                help: "choose another session for the task; other tasks may name it in `when`",
                &log
            )
        }
        if !draft.expectation.captures.isEmpty {
            place.report(
                .notInBackground,
                "`capture`\(context) does not work with the \(name): captured values are lost at "
                    + "the end of a run",
                at: place.key("capture"),
                &log
            )
        }
    }
}
