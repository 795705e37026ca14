internal import Diagnostics
internal import JobFile
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
        guard draft.idempotencyKey == .auto else {
            return warnOfConstant(draft, at: place, &log)
        }
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

    /// Warns of a key without an expression that makes it differ between runs: the server acts
    /// once, however often the job runs.
    ///
    /// Tasks of one `forEach` with such a key repeat each other; another warning reports that.
    private static func warnOfConstant(
        _ draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard log.takesWarnings, let setting = place.setting("idempotencyKey"),
            !place.document.hasInterpolation(setting.value), place.setting("forEach") == nil
        else { return }
        var advice =
            "name the request by an expression, such as `order-${run.date}` or a variable of the "
            + "job: `${var.order}`"
        if case .stream? = draft.body {} else { advice = "write `auto`, or " + advice }
        log.warn(
            .constantKey,
            "`idempotencyKey`\(place.context) is the same in every run: the server takes the "
                + "request of the next run for a repeat of this one",
            at: place.document.range(of: setting.key),
            help: advice
        )
    }
}
