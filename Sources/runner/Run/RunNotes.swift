import Report
import SystemKit
import TransferModel

/// The facts of a run that its hooks need: the webhook with its secrets, and the tasks that did not
/// succeed.
final class RunNotes: RunEventSink, Sendable {
    private struct State {
        var webhook: Webhook?
        var tasks: [WebhookSummary.Task] = []
    }

    private let state: Lock<State>

    /// Keeps the webhook of the plan, if it is complete without secrets.
    init(_ webhook: Webhook?) {
        state = Lock(State(webhook: webhook?.hasSecrets == false ? webhook : nil))
    }

    /// The webhook as it can be sent; nil until its secrets are known.
    var webhook: Webhook? { state.withLock { $0.webhook } }
    /// Tasks that did not succeed, the first ones.
    var tasks: [WebhookSummary.Task] { state.withLock { $0.tasks } }

    /// Keeps the webhook with its secrets.
    func fill(_ webhook: Webhook?) { state.withLock { $0.webhook = webhook } }

    func receive(_ event: RunEvent) {
        guard case .taskFinished(let task) = event else { return }
        let record = task.record
        guard record.outcome != .succeeded, record.outcome != .unchanged else { return }
        state.withLock { state in
            guard state.tasks.count < WebhookSummary.shownTasks else { return }
            state.tasks.append(
                .init(id: record.id, outcome: record.outcome, failure: record.error)
            )
        }
    }
}
