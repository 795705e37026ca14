import TransferModel

@testable import Scheduler

/// The journal of background sessions, without a disk: the test sets the state from earlier runs.
final class FakeBackground: BackgroundTransfers {
    private let earlier: [String: EarlierTransfer]
    private let fault: TransferFailure?
    /// The tasks with resumable uploads.
    private let uploads: Set<String>
    /// The attempts that were said to begin, and when their transfers' time is over.
    private(set) var begun: [(id: String, deadline: Timestamp?)] = []

    /// All that was said of attempts, in order.
    private(set) var steps: [Step] = []

    enum Step: Equatable {
        case began(String)
        case ended(String, failures: Int)
    }

    /// `fault` is the reason why a transfer's state is unknown.
    init(
        _ earlier: [String: EarlierTransfer] = [:],
        fault: TransferFailure? = nil,
        uploads: Set<String> = []
    ) {
        self.earlier = earlier
        self.fault = fault
        self.uploads = uploads
    }

    func knows(_ spec: TaskSpec) -> Bool { earlier[spec.id] != nil }

    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer? {
        if let fault { throw fault }
        return earlier[spec.id]
    }

    func leavesUpload(_ spec: TaskSpec) -> Bool { uploads.contains(spec.id) }

    func attemptBegins(_ spec: TaskSpec, deadline: Timestamp?) {
        begun.append((spec.id, deadline))
        steps.append(.began(spec.id))
    }

    func attemptEnded(_ spec: TaskSpec, failures: Int) {
        steps.append(.ended(spec.id, failures: failures))
    }

    func commit() throws(TransferFailure) {}

    func keep(_ events: [RunEvent]) {}
}
