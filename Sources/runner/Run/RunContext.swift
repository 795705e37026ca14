import Scheduler
import SystemKit
import TransferModel

/// The values that all steps of one run share.
struct RunContext {
    let request: RunRequest
    let start: RunStart
    let signals: RunSignals
    let inbox: Inbox<Scheduler.Message>
    let hook: RunHook
}
