internal import Diagnostics
internal import TransferModel

/// Finds steps that can have no effect where they stand, one step after the other.
struct StreamOrder {
    private var hasClosedWrite = false
    private var hasClosedRead = false
    private var hasFile = false
    private var hasStartedTLS = false
    private var captures: Set<String> = []

    /// The fault of the next step; nil without one.
    mutating func fault(of step: StreamStepDraft) -> ValueFault? {
        if step.write != nil, hasClosedWrite {
            return fault("a step cannot write behind `closeWrite`")
        }
        if step.read != nil, hasClosedRead {
            return fault("a step cannot read behind `closeRead`")
        }
        switch step.signal {
        case .closeWrite:
            if hasClosedWrite { return fault("there are two `closeWrite`") }
            hasClosedWrite = true
        case .closeRead:
            if hasClosedRead { return fault("there are two `closeRead`") }
            hasClosedRead = true
        case .startSecureConnection:
            if hasStartedTLS { return fault("there are two `startSecureConnection`") }
            if hasClosedWrite || hasClosedRead {
                return fault("TLS cannot begin behind `closeWrite` or `closeRead`")
            }
            hasStartedTLS = true
        default: break
        }
        if step.file != nil {
            if hasFile { return fault("only one step of a task can write a file") }
            hasFile = true
        }
        for capture in step.captures where !captures.insert(capture.name).inserted {
            return ValueFault(
                .badID,
                "several steps capture `\(capture.name)`",
                help: "give each capture of a task its own name"
            )
        }
        return nil
    }

    private func fault(_ message: String) -> ValueFault { ValueFault(.conflictingKeys, message) }
}
