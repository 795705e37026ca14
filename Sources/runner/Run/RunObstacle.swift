import Scheduler
import TransferModel

/// The reason why a run cannot begin; its report names it.
struct RunObstacle: Error {
    var reason: StopReason
    /// A message for people; nil when it was printed already.
    var message: String?

    /// A fault of the environment.
    init(_ message: String) {
        reason = .environment(message)
        self.message = message
    }

    init(_ reason: StopReason, _ message: String? = nil) {
        self.reason = reason
        self.message = message
    }
}
