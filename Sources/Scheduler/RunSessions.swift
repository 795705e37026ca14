import SystemKit
import TransferModel

/// The sessions of a run: their settings for the machine, and which of them are suspended.
struct RunSessions {
    private let traits: [SessionTraits]
    /// Whether transfers of background sessions are kept for later runs.
    private let keepsTransfers: Bool
    /// The sessions whose tasks begin no attempt, by their positions.
    var suspended: Set<Int> = []

    init(_ sessions: [SessionConfiguration], keepsTransfers: Bool) {
        traits = sessions.map(SessionTraits.init)
        self.keepsTransfers = keepsTransfers
    }

    /// The settings of the session at a position.
    subscript(session: Int) -> SessionTraits { traits[session] }

    /// Whether later runs continue the task.
    func isKept(_ spec: TaskSpec) -> Bool {
        keepsTransfers && traits[spec.session].kind == .background
    }

    /// Whether the session of a task is suspended.
    func isSuspended(_ spec: TaskSpec) -> Bool { suspended.contains(spec.session) }

    /// The failure of a task whose session is suspended; says when a sent order may have arrived.
    func suspension(of task: ActiveTask) -> TransferFailure {
        let identifier = traits[task.spec.session].identifier ?? ""
        var failure = TransferFailure(
            kind: .suspended,
            phase: .prepare,
            detail: "the background session `\(identifier)` is suspended"
        )
        failure.isKnownUnprocessed = task.number == 0
        failure.help = "`runner resume \(identifier)` lets the next run continue the transfer"
        guard let last = task.failure, task.leavesOutcomeUnknown(last) else { return failure }
        failure.isOutcomeUnknown = true
        failure.explain(.outcomeUnknown, of: task.request, under: task.spec.retry)
        return failure
    }
}

/// The settings of a session that the machine reads for each task; small, because they are copied.
struct SessionTraits: Sendable {
    let name: String
    /// The `sessionDescription` in reports; nil without one.
    let description: String?
    /// The identifier of a background session.
    let identifier: String?
    let kind: SessionConfiguration.Kind
    let waitsForConnectivity: Bool
    /// The longest time of a task (`timeoutIntervalForResource`); nil for no limit.
    let timeLimit: Duration?

    init(_ session: SessionConfiguration) {
        name = session.name
        description = session.sessionDescription
        identifier = session.identifier
        kind = session.kind
        waitsForConnectivity = session.waitsForConnectivity
        timeLimit = session.timeoutIntervalForResource
    }
}
