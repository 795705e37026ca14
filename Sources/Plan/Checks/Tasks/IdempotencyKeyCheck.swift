internal import Diagnostics
internal import TransferModel

/// Finds what contradicts the `idempotencyKey` of a task.
enum IdempotencyKeyCheck {
    /// What is wrong with a task; `isOrderOfRun` says whether its order differs in every run.
    static func findings(
        of draft: TaskDraft,
        in session: @autoclosure () -> SessionConfiguration?,
        isOrderOfRun: Bool,
        at place: TaskPlace
    ) -> [Diagnostic] {
        guard let key = place.setting("idempotencyKey")?.key else { return [] }
        var findings: [Diagnostic] = []
        if draft.headers.contains(IdempotencyKeyField.name) {
            findings.append(
                place.fault(
                    .conflictingKeys,
                    "`idempotencyKey`\(place.context) is also set among its `headers`",
                    at: key
                )
            )
        } else if let session = session(),
            session.httpAdditionalHeaders.contains(IdempotencyKeyField.name)
        {
            findings.append(
                place.fault(
                    .conflictingKeys,
                    "`idempotencyKey`\(place.context) is also set among the `httpAdditionalHeaders` "
                        + "of session `\(session.name.excerpt)`",
                    at: key
                )
            )
        }
        guard draft.idempotencyKey == .auto else { return findings }
        if isOrderOfRun {
            findings.append(place.warningOfRunOrder(at: key, "with another idempotency key"))
        }
        if case .stream? = draft.body {
            findings.append(
                place.fault(
                    .conflictingKeys,
                    "`idempotencyKey: auto`\(place.context) belongs to a body that is known before it is sent, "
                        + "which that of a `stream` is not",
                    at: key,
                    help: "write a value that names the order"
                )
            )
        }
        return findings
    }
}
