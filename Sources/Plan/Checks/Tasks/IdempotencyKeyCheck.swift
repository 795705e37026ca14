internal import Diagnostics
internal import TransferModel

/// Finds settings that contradict the `idempotencyKey` of a task.
enum IdempotencyKeyCheck {
    /// Checks a task; `isOrderOfRun` says whether its order differs in every run.
    static func check(
        _ draft: TaskDraft,
        in session: @autoclosure () -> SessionConfiguration?,
        isOrderOfRun: Bool,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard let key = place.setting("idempotencyKey")?.key else { return }
        if draft.headers.contains(IdempotencyKeyField.name) {
            place.report(
                .conflictingKeys,
                "`idempotencyKey`\(place.context) is also set among its `headers`",
                at: key,
                &log
            )
        } else if let session = session(),
            session.httpAdditionalHeaders.contains(IdempotencyKeyField.name)
        {
            place.report(
                .conflictingKeys,
                "`idempotencyKey`\(place.context) is also set among the `httpAdditionalHeaders` "
                    + "of session `\(session.name.excerpt)`",
                at: key,
                &log
            )
        }
        guard draft.idempotencyKey == .auto else { return }
        if isOrderOfRun {
            place.warnOfRunOrder(at: key, "so that each run uses another idempotency key", &log)
        }
        if case .stream? = draft.body {
            place.report(
                .conflictingKeys,
                "`idempotencyKey: auto`\(place.context) needs a body that is known before it is "
                    + "sent, and the body of a `stream` is not",
                at: key,
                help: "write a value that identifies the request",
                &log
            )
        }
    }
}
