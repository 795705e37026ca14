internal import Diagnostics
internal import TransferModel

/// Finds what a task of a background session cannot have: a later run, in another process, may
/// continue the task.
enum BackgroundCheck {
    /// What is wrong with a task of a session of any kind.
    ///
    /// - Parameters:
    ///   - draft: The settings of the task.
    ///   - session: The session of the task.
    ///   - capture: The first capture that the task uses.
    ///   - isOrderOfRun: Whether the task's order differs in every run.
    ///   - place: Where the task stands.
    /// - Returns: Errors, and a warning of an order that differs in every run.
    static func findings(
        of draft: TaskDraft,
        in session: SessionConfiguration,
        using capture: CaptureReference?,
        isOrderOfRun: Bool,
        at place: TaskPlace
    ) -> [Diagnostic] {
        guard session.kind == .background else { return [] }
        let name = "background session `\(session.name.excerpt)`"
        let (kind, id, context) = (place.entry.kind, place.entry.key, place.context)
        var findings: [Diagnostic] = []
        if kind == .data {
            findings.append(
                place.fault(
                    .notInBackground,
                    "the data task\(context) cannot belong to the \(name)",
                    at: id,
                    help:
                        "its response lives as long as the run: make it a download, or name another session"
                )
            )
        }
        if case .stream? = draft.body {
            findings.append(
                place.fault(
                    .notInBackground,
                    "`stream`\(context) cannot be sent by the \(name): nobody can send it again",
                    at: place.key("stream"),
                    help: "write it to a file and send that with `file`"
                )
            )
        }
        if !draft.expectation.captures.isEmpty {
            findings.append(
                place.fault(
                    .notInBackground,
                    "`capture`\(context) does not outlive a run, as the \(name) does",
                    at: place.key("capture")
                )
            )
        }
        if let capture {
            findings.append(
                Diagnostic(
                    .error,
                    JobCode.notInBackground,
                    "what others capture does not outlive a run, as the \(name)\(context) does",
                    at: capture.range
                )
            )
        }
        if kind == .upload, draft.idempotencyKey != .auto, isOrderOfRun {
            let effect = "which is sent even when it was accepted before"
            findings.append(place.warningOfRunOrder(at: id, effect))
        }
        if draft.redirects.follow != .always {
            findings.append(
                place.fault(
                    .notInBackground,
                    "the \(name) follows all redirects; `redirects`\(context) says otherwise",
                    at: place.key("redirects")
                )
            )
        }
        return findings
    }
}
